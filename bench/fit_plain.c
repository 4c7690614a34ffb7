#include "fit_plain.h"

#include "base/hash.h"

enum { QUESTIONS = 10 };

static const struct {
	const char *title, *text;
	struct {
		const char *text, *answer;
	} asks[QUESTIONS];
} docs[FIT_PLAIN_DOCS] = {
	{ "heater.txt",
	  "The Borea heater costs 349 euros. It warms a room of 25 square metres. The guarantee "
	  "runs for "
	  "three years. Clean the filter once a month. The heater must not stand in the bathroom. "
	  "When "
	  "the yellow light flashes, the filter is full.",
	  { { "How much is the heater?", "349 euros" },
	    { "What does it cost?", "349 euros" },
	    { "How long is the guarantee?", "three years" },
	    { "How big a room does it warm?", "25 square metres" },
	    { "How often do I clean the filter?", "once a month" },
	    { "Can I put it in the bathroom?", "must not" },
	    { "What does the yellow light mean?", "filter is full" },
	    { "guarantee", "three years" } } },
	{ "badger.txt",
	  "The badger lives in a sett under the ground. It eats worms, roots and fruit. A badger "
	  "has a "
	  "black and white head. It sleeps during the day. A badger grows up to 90 centimetres "
	  "long.",
	  { { "Where does the badger live?", "sett" },
	    { "What does a badger eat?", "worms" },
	    { "How long does it grow?", "90 centimetres" },
	    { "When does it sleep?", "during the day" },
	    { "What colour is its head?", "black and white" },
	    { "What does the badger have?", "black and white head" } } },
	{ "hotel.txt",
	  "Breakfast is served from seven to ten. The sauna is in the cellar and costs nothing. "
	  "Rooms "
	  "must be left by eleven. Dogs are welcome for 12 euros a night. The password of the "
	  "network "
	  "is printed on the key card. The owner of the hotel is Irma Feld.",
	  { { "When is breakfast?", "seven to ten" },
	    { "Where is the sauna?", "cellar" },
	    { "How much is the sauna?", "costs nothing" },
	    { "When do I have to leave the room?", "by eleven" },
	    { "Are dogs allowed?", "welcome" },
	    { "What does a dog cost?", "12 euros" },
	    { "What is the password?", "key card" },
	    { "Who owns the hotel?", "Irma Feld" } } },
	{ "expenses.txt",
	  "Receipts are handed in by the fifth of the month. Meals are paid up to 28 euros a day. "
	  "Trips "
	  "by train are booked in second class. Whoever drives gets 30 cents a kilometre. Error "
	  "F-31 of "
	  "the expense form means that a receipt is missing.",
	  { { "When are receipts due?", "fifth of the month" },
	    { "How much for meals?", "28 euros" },
	    { "Which class on the train?", "second class" },
	    { "What do I get for driving?", "30 cents" },
	    { "What is error F-31?", "receipt is missing" },
	    { "F-31", "receipt is missing" },
	    { "How do I hand in receipts?", "fifth of the month" } } },
	{ "camera.txt",
	  "The Lumo camera takes pictures of 24 megapixels. The battery lasts for 400 pictures and "
	  "loads "
	  "in two hours. To reset the camera, hold the menu button for ten seconds. Pictures are "
	  "kept "
	  "on a memory card. The camera weighs 510 grams.",
	  { { "How heavy is the camera?", "510 grams" },
	    { "How long does the battery last?", "400 pictures" },
	    { "How long does the battery take to load?", "two hours" },
	    { "How do I reset it?", "menu button" },
	    { "How many megapixels does it have?", "24 megapixels" },
	    { "Where are the pictures kept?", "memory card" },
	    { "battery", "400 pictures" } } },
	{ "club.txt",
	  "The club was founded in 1954 by Rolf Hagen. It has 320 members. Members pay 15 euros a "
	  "month. "
	  "Training is on Tuesday evening in the north hall. Children under twelve train for "
	  "nothing.",
	  { { "When was the club founded?", "1954" },
	    { "Who founded it?", "Rolf Hagen" },
	    { "How many members are there?", "320 members" },
	    { "What do members pay?", "15 euros" },
	    { "When is training?", "Tuesday" },
	    { "Where is the training?", "north hall" },
	    { "What do children pay?", "for nothing" } } },
	{ "shop.txt",
	  "Parcels are sent within two days. Shipping costs 4.90 euros and is free from 60 euros. "
	  "What "
	  "does not please may be sent back within 14 days. We take cards and bank transfers. The "
	  "shop "
	  "in Dock Street is open on Saturdays.",
	  { { "How much is shipping?", "4.90 euros" },
	    { "When is shipping free?", "60 euros" },
	    { "Can I send something back?", "within 14 days" },
	    { "Do you take cards?", "cards" },
	    { "Where is the shop?", "Dock Street" },
	    { "Are you open on Saturdays?", "Saturdays" },
	    { "How fast are parcels sent?", "two days" } } },
	{ "bread.txt",
	  "Mix 500 grams of flour with a spoon of salt and 350 grams of water. Knead the dough for "
	  "ten "
	  "minutes. Let it rest for twelve hours in the fridge. Bake it for 45 minutes at 230 "
	  "degrees.",
	  { { "How much flour do I need?", "500 grams" },
	    { "How long do I knead the dough?", "ten minutes" },
	    { "How long does it rest?", "twelve hours" },
	    { "How hot is the oven?", "230 degrees" },
	    { "How long does it bake?", "45 minutes" },
	    { "salt", "salt" } } },
};

void fit_plain_open(struct fit_set *set, size_t from, size_t count)
{
	*set = (struct fit_set){ .name = "plain" };
	set->docs = kb_xcalloc(count, sizeof(*set->docs));
	set->asks = kb_xcalloc(count * QUESTIONS, sizeof(*set->asks));
	for (size_t d = from; d < from + count; d++) {
		struct fit_doc *doc = &set->docs[set->doc_count++];

		*doc = (struct fit_doc){ kb_sv_str(docs[d].title), kb_sv_str(docs[d].title),
			                 kb_sv_str(docs[d].text) };
		for (size_t i = 0; i < QUESTIONS && docs[d].asks[i].text; i++) {
			struct fit_ask *ask = &set->asks[set->ask_count++];

			*ask = (struct fit_ask){ .id = kb_sv_str(docs[d].asks[i].text),
				                 .text = kb_sv_str(docs[d].asks[i].text),
				                 .source = "plain",
				                 .group = kb_hash64(doc->id) };
			ask->answers = KB_NEW(&set->arena, struct kb_sv);
			ask->answers[ask->answer_count++] = kb_sv_str(docs[d].asks[i].answer);
			ask->docs = KB_NEW(&set->arena, const struct fit_doc *);
			ask->docs[ask->doc_count++] = doc;
		}
	}
	fit_set_build(set);
}
