#include "crawl/sitemap.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/file.h"
#include "out/link.h"

/* A file to be read. */
struct part {
	struct kb_sv url;
	int depth;
};

struct state {
	const struct kb_sitemap_walk *walk;
	struct kb_sitemap_report *report;
	struct kb_arena arena; /* of the parts' addresses */
	struct part *parts;
	size_t count, capacity;
	struct kb_sv site[2]; /* the host that was asked for, and the one that answered */
};

/* Without "www.". */
static struct kb_sv bare(struct kb_sv host)
{
	return kb_sv_starts(host, KB_SV("www.")) ? kb_sv_from(host, 4) : host;
}

static bool is_below(struct kb_sv host, struct kb_sv other)
{
	return host.n > other.n && kb_sv_ends(host, other) && host.p[host.n - other.n - 1] == '.'
	       && kb_sv_find_byte(other, '.') > 0;
}

static bool is_of_site(const struct state *state, const struct kb_url *url)
{
	struct kb_sv host = bare(url->host);

	for (size_t i = 0; i < KB_COUNTOF(state->site); i++) {
		struct kb_sv site = bare(state->site[i]);

		if (kb_sv_eq(host, site)
		    || (url->host_kind == KB_HOST_DOMAIN
		        && (is_below(host, site) || is_below(site, host))))
			return true;
	}
	return false;
}

static void add_part(struct state *state, struct kb_sv url, int depth)
{
	if (state->count == KB_SITEMAP_FILES_MAX || depth > KB_SITEMAP_DEPTH_MAX) {
		state->report->cut = true;
		return;
	}
	for (size_t i = 0; i < state->count; i++)
		if (kb_sv_eq(state->parts[i].url, url))
			return; /* it lists itself, or another does twice */
	KB_GROW(state->parts, state->capacity, state->count + 1);
	state->parts[state->count++] =
	        (struct part){ .url = kb_arena_sv(&state->arena, url), .depth = depth };
}

/* The absolute address; false when it is none of the web. */
static bool resolve(struct kb_arena *arena, struct kb_sv text, const struct kb_url *base,
                    struct kb_url *out)
{
	struct kb_err ignored;

	return text.n && kb_url_parse(arena, text, base, out, &ignored) && kb_url_is_web(out);
}

static bool hand_on(struct state *state, struct kb_arena *arena, const struct kb_sitemap *list,
                    const struct kb_url *base, int depth, struct kb_err *err)
{
	struct kb_listed *piece = KB_NEW_ARRAY(arena, KB_SITEMAP_PIECE, struct kb_listed);
	struct kb_sitemap_report *report = state->report;
	size_t count = 0;

	for (size_t i = 0; i < list->count; i++) {
		const struct kb_sitemap_entry *entry = &list->entries[i];
		struct kb_url url, image;

		if (!resolve(arena, entry->url, base, &url))
			continue;
		if (!kb_link_refuse_credentials(&url, "the address", NULL)) {
			report->guarded++;
			continue;
		}
		if (entry->is_list) {
			add_part(state, kb_url_document(arena, &url), depth + 1);
			continue;
		}
		if (!is_of_site(state, &url)) {
			report->elsewhere++;
			continue;
		}
		if (report->pages == KB_SITEMAP_PAGES_MAX) {
			report->cut = true;
			break;
		}
		piece[count++] = (struct kb_listed){
			.url = kb_url_document(arena, &url),
			.image = resolve(arena, entry->image, base, &image)
			                 ? kb_link_shown(arena, image.href)
			                 : KB_SV(""),
			.modified_at = entry->modified_at,
		};
		report->pages++;
		if (count == KB_SITEMAP_PIECE) {
			if (!state->walk->found(state->walk->arg, piece, count, err))
				return false;
			count = 0;
		}
	}
	return count == 0 || state->walk->found(state->walk->arg, piece, count, err);
}

/* *fatal: the walk cannot go on; else only this file is missing. */
static bool read_part(struct state *state, const struct part *part, bool *fatal, struct kb_err *err)
{
	const struct kb_sitemap_walk *walk = state->walk;
	struct kb_sitemap_file file = { .fd = -1 };
	struct kb_arena arena = { 0 };
	struct kb_sitemap list;
	struct kb_url base;
	bool ok;

	*fatal = false;
	ok = walk->fetch(walk->arg, &arena, part->url, &file, err)
	     && kb_url_parse(&arena, file.url, NULL, &base, err)
	     && kb_parse_sitemap(walk->parser, &arena,
	                         &(struct kb_parse_request){
	                                 .fd = file.fd,
	                                 .url = file.url,
	                                 .content_type = file.content_type,
	                                 .timeout_ms = walk->timeout_ms,
	                                 .owner = walk->owner,
	                         },
	                         &list, err);
	kb_fd_close(&file.fd);
	if (ok) {
		if (part->depth == 0)
			state->site[1] = kb_arena_sv(&state->arena, base.host);
		state->report->files++;
		state->report->cut |= list.cut || list.damaged;
		ok = hand_on(state, &arena, &list, &base, part->depth, err);
		*fatal = !ok;
	} else {
		*fatal = err->code == KB_E_CANCELLED || kb_err_info(err->code)->outage;
	}
	kb_arena_fini(&arena);
	return ok;
}

bool kb_sitemap_walk(const struct kb_sitemap_walk *walk, struct kb_sv url,
                     struct kb_sitemap_report *report, struct kb_err *err)
{
	struct state state = { .walk = walk, .report = report };
	struct kb_url root;
	bool ok;

	*report = (struct kb_sitemap_report){ 0 };
	ok = kb_url_parse(&state.arena, url, NULL, &root, err);
	if (ok) {
		state.site[0] = state.site[1] = root.host;
		add_part(&state, kb_url_document(&state.arena, &root), 0);
	}
	for (size_t i = 0; ok && i < state.count; i++) {
		struct part part = state.parts[i];
		struct kb_err problem = { 0 };
		bool fatal;

		if (read_part(&state, &part, &fatal, &problem))
			continue;
		if (fatal || i == 0) {
			*err = problem;
			ok = false;
		} else if (report->unread++ == 0) {
			report->first.code = problem.code;
			snprintf(report->first.msg, sizeof(report->first.msg), "%.*s: %.*s",
			         KB_SV_ARG(kb_sv_sub(part.url, 0, 150)), 200, problem.msg);
		}
	}
	free(state.parts);
	kb_arena_fini(&state.arena);
	return ok;
}
