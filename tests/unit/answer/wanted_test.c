#include "test.h"

#include "answer/wanted.h"

static const struct {
	const char *question;
	enum kb_wanted kind;
	const char *tells, *not ; /* that answers it; that is of the subject, and does not */
} cases[] = {
	{ "How deep is the pool?", KB_WANTED_LENGTH, "The pool is 2.5 m deep.",
	  "The pool opens at 9 and closes at 21." },
	{ "What colour is the kettle?", KB_WANTED_COLOUR, "The kettle is red.",
	  "The kettle holds 1.7 litres." },
	{ "Is there a discount for students?", KB_WANTED_DISCOUNT,
	  "Students get 10% on all tickets.", "A ticket costs 14 euros." },
	{ "How much does the ferry cost?", KB_WANTED_PRICE, "The ferry costs 12 euros.",
	  "The ferry takes 40 minutes." },
	{ "How heavy is the drill?", KB_WANTED_WEIGHT, "Weight: 3kg", "The drill has two gears." },
	{ "How long does delivery take?", KB_WANTED_DURATION, "Delivery takes three working days.",
	  "Delivery is by post." },
	{ "How long is the guarantee?", KB_WANTED_DURATION, "La garantie est d'1 an.",
	  "An order is packed on the second floor." },
	{ "Wie gro\u00df ist Jana Petersen?", KB_WANTED_LENGTH, "Sie ist 1,72 m gro\u00df.",
	  "Sie wurde am 4. Mai 1988 in Flensburg geboren." },
	{ "What is your phone number?", KB_WANTED_PHONE, "Call us: +49 30 12 34 56.",
	  "We are open from 9 to 17." },
	{ "What is the e-mail address of the office?", KB_WANTED_MAIL, "Write to a@b.example.",
	  "The office is on the second floor." },
	{ "How hot must the oven be?", KB_WANTED_TEMPERATURE, "Bake at 230 degrees.",
	  "Bake for 45 minutes." },
	{ "How many watts does the motor have?", KB_WANTED_POWER, "It takes 90 W.",
	  "The motor is too hot when the light blinks." },
	{ "How loud is it?", KB_WANTED_NOISE, "62 dB at full speed", "It has three speeds." },
	{ "Wie tief ist das Becken?", KB_WANTED_LENGTH, "Das Becken ist 180 cm tief.",
	  "Das Becken ist beheizt." },
	{ "Was kostet eine Karte?", KB_WANTED_PRICE, "Eine Karte kostet 8 Kronen.",
	  "Der Rand der Karte ist rot." },
	{ "¿Cuánto cuesta la entrada?", KB_WANTED_PRICE, "La entrada cuesta 8 coronas.",
	  "La entrada está al lado." },
	{ "Combien coûte le billet ?", KB_WANTED_PRICE, "Le billet coûte 8 couronnes.",
	  "Il faut lire le billet." },
	{ "Was kostet der Eintritt?", KB_WANTED_PRICE, "Der Eintritt kostet 5 €.",
	  "Der Eintritt ist ab 6 Jahren erlaubt." },
	{ "De quelle couleur est la porte ?", KB_WANTED_COLOUR, "La porte est bleue.",
	  "La porte ferme à 18 heures." },
	{ "¿Cuánto tiempo dura la garantía?", KB_WANTED_DURATION, "La garantía dura dos años.",
	  "La garantía cubre el motor." },
	{ "水壶是什么颜色？", KB_WANTED_COLOUR, "水壶是红色的。", "水壶容量为1.7升。" },
	{ "What is the price of electricity?", KB_WANTED_PRICE,
	  "Service: Electricity; Unit: kWh; Price: 0.31", "The price is known by 2030." },
	{ "What is the clerk's email?", KB_WANTED_MAIL, "Write to [email].", "Write to us." },
	{ "How do I set the temperature?", KB_WANTED_NOTHING, NULL, "Turn the dial." },
	{ "Why does my phone get hot?", KB_WANTED_NOTHING, NULL, "It charges." },
	{ "Can I set the temperature?", KB_WANTED_NOTHING, NULL, "With the dial." },
	{ "Can I get a discount?", KB_WANTED_DISCOUNT, "Members pay half.", "Tickets are sold." },
	{ "Who pays the costs?", KB_WANTED_NOTHING, NULL, "The club does." },
	{ "Wie stelle ich die Temperatur ein?", KB_WANTED_NOTHING, NULL, "Am Regler." },
	{ "¿Cómo configuro el correo electrónico?", KB_WANTED_NOTHING, NULL, "En ajustes." },
	{ "如何设置温度？", KB_WANTED_NOTHING, NULL, "转动旋钮。" },
	{ "How do I reset it?", KB_WANTED_NOTHING, NULL, "Hold the button for 12 seconds." },
	{ "Who made it?", KB_WANTED_NOTHING, NULL, "It is 2 m tall and red." },
};

static void test_kinds(struct kb_test *t)
{
	for (size_t i = 0; i < KB_COUNTOF(cases); i++) {
		t->row = cases[i].question;
		CHECK_INT(t, kb_wanted_of(kb_sv_str(cases[i].question)), cases[i].kind);
		if (cases[i].tells)
			CHECK(t, kb_wanted_in(cases[i].kind, kb_sv_str(cases[i].tells)));
		CHECK(t, !kb_wanted_in(cases[i].kind, kb_sv_str(cases[i].not )));
	}
	t->row = NULL;
}

int main(int argc, char **argv)
{
	static const struct kb_test_case tests[] = {
		{ "kinds of things", test_kinds },
	};

	return kb_test_main(argc, argv, tests, KB_COUNTOF(tests));
}
