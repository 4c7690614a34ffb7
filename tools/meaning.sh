#!/bin/sh
# Makes share/docent/meaning.kbm, the table of word vectors (src/index/meaning.h):
#
#   tools/meaning.sh WORK
#
# WORK is a folder for packages (2 GB) and pairs of texts. Packages and the translations of their
# descriptions come from Debian 12 through apt, for which Packages lists
# must be there (apt-get update). What is learned from, with its licences, stands in
# docs/decisions/2026-11-22-meaning.md.
set -eu
cd "$(dirname "$0")/.."
work=$1
mirror=http://deb.debian.org/debian/dists/bookworm/main/i18n
packages="
abiword-common activemq akregator amanda-common apache2-doc apt-doc aptitude-doc-en ardour-data
audacity-data autoconf-doc backup-manager backuppc bacula-doc baobab bind9-doc borgbackup-doc
brasero-common buildbot-doc bzr-doc calibre-bin cheese-common cmake-doc cups debian-edu-doc-de
debian-edu-doc-en debian-edu-doc-fr debian-faq debian-faq-de debian-faq-fr debian-faq-zh-cn
debian-handbook debian-history debian-kernel-handbook debian-policy debian-reference-de
debian-reference-en debian-reference-es debian-reference-fr debian-reference-ja
debian-reference-zh-cn debmake-doc deja-dup denemo-doc developers-reference doc-debian docker-doc
dokuwiki dovecot-core duplicity ejabberd eog epiphany-browser-data erlang-doc evince-common
evolution-common exim4-doc-html fail2ban fetchmail file-roller five-or-more freedombox-doc-en
freedombox-doc-es freeradius-common frescobaldi fwbuilder-doc gedit-common gimp-help-de
gimp-help-en gimp-help-es gimp-help-fr gimp-help-it gimp-help-nl gimp-help-ru git-doc gnome-boxes
gnome-calculator gnome-clocks gnome-contacts gnome-disk-utility gnome-maps gnome-system-monitor
gnome-terminal-data gnome-user-docs gnucash-common gnucash-docs gnumed-doc gnumeric-doc gnupg
golang-1.19-doc golang-doc gpsd gramps grass-doc grisbi-common gutenprint-doc gwenview harden-doc
hledger homebank-data hydrogen-doc icinga2-doc inkscape-tutorials installation-guide-amd64 jetty9
josm k3b-data kaddressbook kde-config-cron kdenlive-data kicad-doc-en kmail kmymoney-common
kontact korganizer ledger librecad-data libreoffice-help-de libreoffice-help-en-us
libreoffice-help-es libreoffice-help-fr libreoffice-help-it libreoffice-help-ja
libreoffice-help-zh-cn libvirt-doc lilypond-doc-html lilypond-doc-html-de lilypond-doc-html-fr
lintian live-manual-html live-manual-txt lmms-common lyx-common mailman3-doc maint-guide
maint-guide-de manpages manpages-de manpages-es manpages-fr manpages-ja manpages-zh
mate-user-guide mercurial-common munin-doc musescore3-common mythes-de mythes-en-us mythes-es
mythes-fr nagios4-cgi nautilus-data octave-doc openscad openvpn orca packaging-tutorial pelican
perl-doc phpldapadmin phpmyadmin planner-doc postfix-doc postgresql-doc-15 prosody
python-astropy-doc python-celery-doc python-django-doc python-flask-doc python-jinja2-doc
python-pytest-doc python-requests-doc python-scrapy-doc python-sklearn-doc python-sqlalchemy-doc
python-werkzeug-doc python3-doc python3-sphinx python3.11-doc r-doc-html rdiff-backup
rhythmbox-data rosegarden roundcube-core roundcube-plugins rsnapshot rust-doc seahorse
shorewall-doc shotwell-common simple-scan skrooge-common slapd snapper-gui sphinx-doc sqlite3-doc
subversion tomcat10-docs tryton-server-doc ufw vagrant virt-manager vlc-plugin-base wordnet-base
wordpress xfce4-panel zenity-common zsh-doc"

mkdir -p "$work/debs" "$work/translations"
work=$(cd "$work" && pwd)
for lang in de es fr it ja nl pl pt_BR ru zh_CN; do
	/usr/lib/apt/apt-helper download-file "$mirror/Translation-$lang.bz2" \
		"$work/translations/Translation-$lang.bz2"
done
/usr/lib/apt/apt-helper download-file "$mirror/Translation-en.xz" "$work/translations/Translation-en.xz"
# shellcheck disable=SC2086
(cd "$work/debs" && apt-get download $packages)
node tools/meaning_pairs.mjs "$work/debs" "$work/translations" >"$work/pairs.tsv"
ninja -C build tools/meaning_train
build/tools/meaning_train --words 40000 --groups 4000 --rounds 6 --cap 150000 "$work/pairs.tsv" "$work/meaning.kbm"
mkdir -p share/docent
cp "$work/meaning.kbm" share/docent/meaning.kbm
