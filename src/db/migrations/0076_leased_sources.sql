-- Sources that are being read, by who reads them: a node that starts frees those of nodes that are
-- gone without reading the others.
CREATE INDEX sources_leased ON sources (lease_node) WHERE state = 1;
