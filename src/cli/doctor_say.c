/* How those who look tell what they have found. */
#include <stdarg.h>
#include <stdio.h>

#include "cli/doctor.h"

const char *kb_diagnosis_name(enum kb_diagnosis health)
{
	static const char *const names[KB_DIAGNOSIS_COUNT] = { "ok", "warn", "fail" };

	return names[health];
}

void kb_doctor_say(struct kb_doctor *doctor, enum kb_diagnosis health, const char *about,
                   const char *remedy, const char *fmt, ...)
{
	enum { SENTENCE = 1200 };
	char text[SENTENCE];
	struct kb_finding finding = { .health = health, .about = about, .remedy = remedy };
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	finding.what = kb_sv_str(text);
	doctor->counts[health]++;
	doctor->tell(doctor->arg, &finding);
}
