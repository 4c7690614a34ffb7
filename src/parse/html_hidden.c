/*
 * What of a page cannot be seen, as far as its markup says: attributes, inline style, text in the
 * colour of its ground. Orders to a reader that is a machine are hidden so, and so is nothing that
 * a person was meant to read.
 *
 * A class may paint and place an element otherwise: where there are stylesheets, the element counts
 * as seen unless its own style says what no class overrules. What a class alone hides counts as
 * seen too: the hidden sides of tabs and folded answers are content.
 */
#include <stdlib.h>

#include "base/field.h"
#include "parse/html_tree.h"

enum {
	FONT_LEAST_PX = 3, /* below it nobody reads */
	EM_PX = 16,
	FAR_PX = 999, /* left of or above the page */
	BEYOND_PX = 5000,
};

/* ---- values */

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* The number that the text begins with, and what follows it; false without one. */
static bool number(struct kb_sv text, double *out, struct kb_sv *rest)
{
	double n = 0, scale = 1;
	bool digits = false, fraction = false, minus = text.n && text.p[0] == '-';
	size_t i = minus || (text.n && text.p[0] == '+');

	for (; i < text.n && (is_digit(text.p[i]) || (text.p[i] == '.' && !fraction)); i++) {
		if (text.p[i] == '.') {
			fraction = true;
			continue;
		}
		digits = true;
		n = fraction ? n + (text.p[i] - '0') * (scale /= 10) : n * 10 + (text.p[i] - '0');
	}
	*out = minus ? -n : n;
	*rest = kb_sv_from(text, i);
	return digits;
}

/* A length in pixels, percentages and lengths of the font's as of ordinary text. */
static bool pixels(struct kb_sv text, double *out, bool *is_relative)
{
	static const struct {
		const char *unit;
		double px;
		bool is_relative;
	} units[] = { { "px", 1 },           { "pt", 4.0 / 3 },  { "rem", EM_PX },
		      { "em", EM_PX, true }, { "ex", 8, true },  { "ch", 8, true },
		      { "%", 0.16, true },   { "vw", 12, true }, { "vh", 8, true },
		      { "cm", 37.8 },        { "mm", 3.78 },     { "in", 96 },
		      { "pc", 16 } };
	struct kb_sv rest;

	*is_relative = false;
	if (!number(text, out, &rest))
		return false;
	for (size_t i = 0; i < KB_COUNTOF(units); i++)
		if (kb_sv_istarts(rest, kb_sv_str(units[i].unit))) {
			*out *= units[i].px;
			*is_relative = units[i].is_relative;
			break;
		}
	return true;
}

/* The next number of a list such as "(0 0, 0px 1px)"; *text goes on behind it. */
static bool next_number(struct kb_sv *text, double *out, bool *is_percent)
{
	while (text->n && text->p[0] != ')') {
		if (number(*text, out, text)) {
			*is_percent = text->n && text->p[0] == '%';
			while (text->n && text->p[0] != ')' && text->p[0] != ' '
			       && text->p[0] != ',')
				*text = kb_sv_from(*text, 1);
			return true;
		}
		*text = kb_sv_from(*text, 1);
	}
	return false;
}

/* What stands in the brackets of name(…) somewhere in the value. */
static bool arguments(struct kb_sv value, const char *name, struct kb_sv *out)
{
	struct kb_sv word = kb_sv_str(name);

	for (size_t i = 0; i + word.n <= value.n; i++)
		if (kb_sv_istarts(kb_sv_from(value, i), word)) {
			ptrdiff_t open = kb_sv_find_byte(kb_sv_from(value, i), '(');

			*out = kb_sv_from(value, i + (size_t)KB_MAX(open, (ptrdiff_t)0) + 1);
			return open >= 0;
		}
	return false;
}

/* ---- colours */

enum { UNSAID = -1, UNSEEN = -2 };

static int32_t hex_colour(struct kb_sv value)
{
	int32_t rgb = 0;
	size_t n = 1, digits;

	while (n < value.n && kb_hex_digit(value.p[n]) >= 0)
		n++;
	digits = n - 1;
	if (digits != 3 && digits != 4 && digits != 6 && digits != 8)
		return UNSAID;
	for (size_t i = 1; i <= (digits < 6 ? 3u : 6u); i++) {
		int digit = kb_hex_digit(value.p[i]);

		rgb = digits < 6 ? rgb << 8 | digit << 4 | digit : rgb << 4 | digit;
	}
	if ((digits == 4 && value.p[4] == '0')
	    || (digits == 8 && value.p[7] == '0' && value.p[8] == '0'))
		return UNSEEN;
	return rgb;
}

/* rgb(1, 2, 3), rgba(1 2 3 / 0), hsla(…, 0%): of the others only whether they show at all. */
static int32_t function_colour(struct kb_sv value)
{
	double parts[4] = { 0, 0, 0, 1 };
	struct kb_sv rest = value;
	bool is_rgb = kb_sv_istarts(value, KB_SV("rgb")), percent = false;
	int32_t rgb = 0;
	size_t count = 0;

	for (; count < 4 && next_number(&rest, &parts[count], &percent); count++)
		if (percent && count < 3)
			parts[count] *= 2.55;
	if (count == 4 && parts[3] < 0.02)
		return UNSEEN;
	if (!is_rgb || count < 3)
		return UNSAID;
	for (size_t i = 0; i < 3; i++)
		rgb = rgb << 8 | (int32_t)KB_MAX(KB_MIN(parts[i], 255.0), 0.0);
	return rgb;
}

/* As 0xrrggbb: hexadecimal, rgb(), and the names that matter here. */
static int32_t colour(struct kb_sv value)
{
	static const struct {
		const char *name;
		int32_t rgb;
	} names[] = { { "white", 0xffffff }, { "black", 0 },         { "red", 0xff0000 },
		      { "blue", 0x0000ff },  { "yellow", 0xffff00 }, { "transparent", UNSEEN } };

	for (size_t i = 0; i < KB_COUNTOF(names); i++)
		if (kb_sv_istarts(value, kb_sv_str(names[i].name)))
			return names[i].rgb;
	if (kb_sv_starts(value, KB_SV("#")))
		return hex_colour(value);
	if (kb_sv_istarts(value, KB_SV("rgb")) || kb_sv_istarts(value, KB_SV("hsl")))
		return function_colour(value);
	return UNSAID;
}

static bool is_near(int32_t a, int32_t b)
{
	int sum = 0;

	for (int shift = 0; shift < 24; shift += 8)
		sum += abs((a >> shift & 255) - (b >> shift & 255));
	return sum <= 24;
}

/* ---- declarations */

static bool is_none(struct kb_sv value)
{
	return kb_sv_istarts(value, KB_SV("none"));
}

static bool is_hidden(struct kb_sv value)
{
	return kb_sv_istarts(value, KB_SV("hidden")) || kb_sv_istarts(value, KB_SV("collapse"));
}

/* 0, 0px, 0.0em, 0.01 */
static bool is_nothing(struct kb_sv value)
{
	struct kb_sv rest;
	double n;

	return number(value, &n, &rest) && n < 0.02 && n > -0.02;
}

static bool is_far_before(struct kb_sv value)
{
	bool is_relative;
	double px;

	return pixels(value, &px, &is_relative) && px <= -FAR_PX;
}

static bool is_far(struct kb_sv value)
{
	bool is_relative;
	double px;

	return is_far_before(value) || (pixels(value, &px, &is_relative) && px >= BEYOND_PX);
}

/* inset(50%) and more from each side, inset(100% 0 0 0), circle(0). */
static bool clips_all(struct kb_sv value)
{
	struct kb_sv rest;
	double n;
	bool percent;
	size_t count = 0, half = 0, whole = 0;

	if (arguments(value, "inset", &rest)) {
		while (next_number(&rest, &n, &percent)) {
			count++;
			half += percent && n >= 50;
			whole += percent && n >= 100;
		}
		return whole > 0 || (count > 0 && half == count);
	}
	return (arguments(value, "circle", &rest) || arguments(value, "ellipse", &rest))
	       && next_number(&rest, &n, &percent) && n < 0.5;
}

/* The old clip: rect(0 0 0 0), rect(1px, 1px, 1px, 1px). */
static bool is_empty_rect(struct kb_sv value)
{
	struct kb_sv rest;
	double edges[4];
	bool percent;
	size_t count = 0;

	if (!arguments(value, "rect", &rest))
		return false;
	while (count < 4 && next_number(&rest, &edges[count], &percent))
		count++;
	return count == 4 && (edges[2] - edges[0] <= 1 || edges[1] - edges[3] <= 1);
}

static bool shrinks_or_moves(struct kb_sv value)
{
	struct kb_sv rest;
	double n;
	bool percent;

	if (arguments(value, "scale", &rest))
		while (next_number(&rest, &n, &percent))
			if (n < 0.02 && n > -0.02)
				return true;
	if (arguments(value, "translate", &rest))
		while (next_number(&rest, &n, &percent))
			if (n <= -FAR_PX || n >= BEYOND_PX)
				return true;
	return false;
}

static bool filters_all(struct kb_sv value)
{
	struct kb_sv rest;

	return arguments(value, "opacity", &rest) && is_nothing(rest);
}

// clang-format off
/* Each hides an element with all that is in it. */
static const struct {
	const char *key;
	bool (*hides)(struct kb_sv value);
} hiding[] = {
	{ "display", is_none },       { "visibility", is_hidden }, { "content-visibility", is_hidden },
	{ "opacity", is_nothing },    { "filter", filters_all },   { "scale", is_nothing },
	{ "transform", shrinks_or_moves },
	{ "clip-path", clips_all },   { "clip", is_empty_rect },
	{ "text-indent", is_far },    { "left", is_far },          { "top", is_far_before },
	{ "right", is_far_before },   { "bottom", is_far_before }, { "margin-left", is_far },
	{ "margin-top", is_far_before },
};
// clang-format on

/* ---- elements */

/* How text is painted; children inherit it. */
struct paint {
	int32_t colour, background;
	bool is_tiny;
	bool open_to_style;  /* a stylesheet may paint it otherwise */
	bool colour_is_open; /* the same, and its own style does not say its colour */
};

/* An inline style while it is read. */
struct style {
	struct paint *paint;
	bool hides, cuts, is_small, is_clipped_to_text;
};

/* 1px, 0, 0.01em; what is given of a parent that is tiny stays so. */
static void read_font_size(struct style *style, struct kb_sv value)
{
	bool is_relative;
	double px;

	if (!pixels(value, &px, &is_relative)) {
		style->paint->is_tiny &= kb_sv_istarts(value, KB_SV("inherit"));
		return;
	}
	style->paint->is_tiny = px < FONT_LEAST_PX || (is_relative && style->paint->is_tiny);
}

/* "font: italic 700 0/0 a": a number without a unit is the weight, unless it is 0. */
static void read_font(struct style *style, struct kb_sv value)
{
	struct kb_sv word, rest;
	double n;

	while (value.n && kb_sv_split(&value, ' ', &word))
		if (number(word, &n, &rest) && (rest.n || is_nothing(word))) {
			read_font_size(style, word);
			return;
		}
}

static void read_colour(struct style *style, struct kb_sv value)
{
	style->paint->colour = colour(value);
	style->paint->colour_is_open = false;
}

static void read_background(struct style *style, struct kb_sv value)
{
	int32_t ground = colour(value);

	style->paint->background = ground == UNSEEN ? UNSAID : ground;
	style->paint->open_to_style |= ground < 0;
	for (size_t i = 0; i + 4 <= value.n; i++) /* a shorthand may hold it too */
		style->is_clipped_to_text |= kb_sv_istarts(kb_sv_from(value, i), KB_SV("text"));
}

static void read_clip(struct style *style, struct kb_sv value)
{
	style->is_clipped_to_text |= kb_sv_istarts(value, KB_SV("text"));
}

static void read_overflow(struct style *style, struct kb_sv value)
{
	style->cuts |= kb_sv_istarts(value, KB_SV("hidden")) || kb_sv_istarts(value, KB_SV("clip"));
}

static void read_size(struct style *style, struct kb_sv value)
{
	bool is_relative;
	double px;

	style->is_small |=
	        is_nothing(value) || (pixels(value, &px, &is_relative) && !is_relative && px <= 1);
}

// clang-format off
static const struct {
	const char *key;
	void (*read)(struct style *style, struct kb_sv value);
} reading[] = {
	{ "font-size", read_font_size },    { "font", read_font },
	{ "color", read_colour },           { "-webkit-text-fill-color", read_colour },
	{ "background", read_background },  { "background-color", read_background },
	{ "background-clip", read_clip },   { "-webkit-background-clip", read_clip },
	{ "overflow", read_overflow },      { "overflow-x", read_overflow },
	{ "overflow-y", read_overflow },    { "width", read_size },
	{ "height", read_size },            { "max-width", read_size },
	{ "max-height", read_size },
};
// clang-format on

/* Without blanks and comments before it. */
static struct kb_sv css_word(struct kb_sv text)
{
	for (text = kb_sv_trim(text); kb_sv_starts(text, KB_SV("/*"));) {
		ptrdiff_t end = kb_sv_find(kb_sv_from(text, 2), KB_SV("*/"));

		text = end < 0 ? KB_SV("") : kb_sv_trim(kb_sv_from(text, (size_t)end + 4));
	}
	return text;
}

static void read_declaration(struct style *style, struct kb_sv key, struct kb_sv value)
{
	for (size_t i = 0; i < KB_COUNTOF(hiding); i++)
		if (kb_sv_ieq_str(key, hiding[i].key))
			style->hides |= hiding[i].hides(value);
	for (size_t i = 0; i < KB_COUNTOF(reading); i++)
		if (kb_sv_ieq_str(key, reading[i].key))
			reading[i].read(style, value);
}

/* Reads an inline style; true when it hides the element. */
static bool style_hides(struct kb_sv text, struct paint *paint)
{
	struct style style = { .paint = paint };
	struct kb_sv declaration;

	while (text.n && kb_sv_split(&text, ';', &declaration)) {
		ptrdiff_t colon = kb_sv_find_byte(declaration, ':');
		struct kb_sv key, value;

		if (colon < 0)
			continue;
		key = css_word(kb_sv_sub(declaration, 0, (size_t)colon));
		value = css_word(kb_sv_from(declaration, (size_t)colon + 1));
		read_declaration(&style, key, value);
	}
	if (style.is_clipped_to_text && paint->colour == UNSEEN)
		paint->colour = UNSAID; /* the ground shows through the letters */
	return style.hides || (style.cuts && style.is_small);
}

static bool is_unseen(const struct paint *paint)
{
	if (paint->is_tiny)
		return true;
	if (paint->colour == UNSEEN)
		return !paint->colour_is_open;
	return paint->colour >= 0 && !paint->open_to_style
	       && is_near(paint->colour, paint->background);
}

/* True when the element with all in it is hidden; else *own is how its text is painted. */
static bool read_element(const struct kb_html_tree *tree, uint32_t i, struct paint *own)
{
	bool opens = tree->nodes[i].flags & KB_HTML_OPENS;

	if (!opens
	    && (kb_html_has_attr(tree, i, "hidden")
	        || kb_sv_ieq_str(kb_html_attr(tree, i, "aria-hidden"), "true")))
		return true;
	if (tree->has_styles && i > 2
	    && (kb_html_has_attr(tree, i, "class") || kb_html_has_attr(tree, i, "id")))
		own->open_to_style = own->colour_is_open = true;
	if (kb_html_has_attr(tree, i, "bgcolor")) {
		own->background = colour(kb_sv_trim(kb_html_attr(tree, i, "bgcolor")));
		own->open_to_style |= own->background < 0;
	}
	if (kb_html_has_attr(tree, i, "color"))
		own->colour = colour(kb_sv_trim(kb_html_attr(tree, i, "color")));
	return style_hides(kb_html_attr(tree, i, "style"), own) && !opens;
}

void kb_html_mark_hidden(struct kb_html_tree *tree)
{
	struct paint *paints = kb_xcalloc(KB_HTML_DEPTH_MAX + 2, sizeof(*paints));

	paints[0] = (struct paint){ .colour = 0, .background = 0xffffff };
	for (uint32_t i = 1; i < tree->count; i++) {
		struct kb_html_node *node = &tree->nodes[i];
		struct paint own = paints[node->depth - 1];

		if (node->tag == KB_TAG_TEXT) {
			if (is_unseen(&own))
				node->flags |= KB_HTML_HIDDEN;
			continue;
		}
		if (node->attr_count && read_element(tree, i, &own)) {
			for (uint32_t j = i; j < node->end; j++)
				tree->nodes[j].flags |= KB_HTML_HIDDEN;
			i = node->end - 1;
		}
		paints[node->depth] = own;
	}
	free(paints);
}
