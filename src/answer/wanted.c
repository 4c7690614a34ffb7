#include "answer/wanted.h"

#include <string.h>

#include "index/unicode.h"

enum { PHONE_DIGITS = 6 };

// clang-format off
/* Folded. `asks`: phrases between bars, whole words; `runs`: the same of languages without blanks,
 * anywhere. `words` tell such a thing by themselves, `units` behind a figure, `signs` anywhere. */
static const struct {
	const char *asks, *runs, *words, *units, *signs;
} kinds[KB_WANTED_KINDS] = {
	[KB_WANTED_DISCOUNT] = {
		"|discount|discounts|rebate|reduced price|student price|cheaper|rabatt|rabatte|ermäßigung|ermäßigt|"
		"réduction|remise|tarif réduit|descuento|descuentos|sconto|sconti|desconto|korting|",
		"|折扣|优惠|割引|할인|",
		" discount discounts discounted reduced rebate off percent free half nothing nichts gratis kostenlos gratuit gratuito"
		" gratuita rabatt ermäßigt ermäßigung ermäßigte prozent"
		" réduction réductions remise réduit réduite descuento descuentos sconto ridotto ridotta desconto korting ",
		"", "|%|折|优惠|割引|할인|" },
	[KB_WANTED_PHONE] = { /* signs: what masking leaves (mask.h) */
		"|phone number|telephone number|telephone|phone|telefonnummer|telefon|numéro de téléphone|téléphone|"
		"número de teléfono|teléfono|numero di telefono|telefono|telefone|telefoonnummer|",
		"|电话|電話|전화|", "", "", "|[phone]|" },
	[KB_WANTED_MAIL] = {
		"|email address|e mail address|mail address|email|e mail|mailadresse|adresse mail|correo electrónico|"
		"indirizzo email|",
		"|邮箱|邮件地址|メールアドレス|", "", "", "|@|[email]|" },
	[KB_WANTED_COLOUR] = {
		"|colour|colours|color|colors|farbe|farben|couleur|couleurs|de qué color|qué colores|colore|colori|cores|"
		"que cor|kleur|kleuren|",
		"|颜色|什么色|何色|色は|색|",
		" red blue green black white grey gray yellow brown orange purple pink silver gold golden beige violet"
		" teal turquoise cyan magenta navy olive maroon crimson scarlet amber ivory cream khaki bronze copper lime"
		" mint indigo lavender burgundy coral charcoal tan ochre chestnut transparent colourless colorless multicoloured"
		" türkis violett silbern silberne golden goldene orangefarben cremeweiß dunkelblau hellblau dunkelgrün hellgrün"
		" dunkelrot dunkelgrau hellgrau turquoise orange violette argenté doré naranja morado plateado dorado turquesa"
		" arancione viola argento oro laranja roxo prateado dourado oranje paars roze bruin zilver goud"
		" rot rote roter rotes roten blau blaue blaues grün grüne grünes schwarz schwarze weiß weiße grau graue gelb gelbe"
		" braun rosa lila rouge rouges bleu bleue bleus vert verte verts noir noire blanc blanche gris grise jaune"
		" rojo roja azul verde negro negra blanco blanca amarillo rosso rossa blu nero nera bianco bianca grigio giallo"
		" vermelho preto branco cinza amarelo rood blauw groen zwart wit grijs geel ",
		"", "|红|蓝|绿|黑|白|灰|黄|赤|青|緑|" },
	[KB_WANTED_WEIGHT] = {
		"|how heavy|weigh|weighs|weight|wie schwer|wiegt|gewicht|poids|pèse|peso|pesa|hoe zwaar|weegt|",
		"|重量|多重|重さ|무게|",
		" kilo kilos kilogram kilograms kilogramme kilogrammes gram grams gramm grammes pound pounds ounce ounces"
		" tonne tonnes tons kilogramm gramos gramas kilogramos grammi ",
		" kg g mg t lb lbs oz ", "|公斤|千克|克|キロ|グラム|" },
	[KB_WANTED_TEMPERATURE] = {
		"|how hot|how warm|how cold|temperature|wie heiß|wie warm|wie kalt|temperatur|température|temperatura|",
		"|温度|多热|온도|",
		" degree degrees celsius fahrenheit grad degré degrés grado grados gradi graus graden ",
		" c f k ", "|°|度|" },
	[KB_WANTED_POWER] = {
		"|how many watts|wattage|how much power|power consumption|how many volts|wie viel watt|leistungsaufnahme|"
		"combien de watts|cuántos vatios|quanti watt|",
		"|功率|多少瓦|何ワット|消費電力|",
		" watt watts kilowatt kilowatts volt volts ampere amperes vatios ", " w kw v ", "|瓦|ワット|" },
	[KB_WANTED_NOISE] = {
		"|how loud|how noisy|noise level|decibel|decibels|wie laut|lautstärke|niveau sonore|nivel de ruido|",
		"|噪音|分贝|騒音|",
		" decibel decibels dezibel décibels decibelios quiet silent noiseless leise ", " db ", "|分贝|" },
	[KB_WANTED_PRICE] = {
		"|how much does|how much do|how much is|how much are|price|prices|cost|costs|fee|fees|was kostet|was kosten|"
		"kostet|kosten|preis|preise|gebühr|gebühren|combien coûte|combien coûtent|coûte|prix|tarif|cuánto cuesta|"
		"cuánto cuestan|cuesta|precio|precios|tarifa|quanto costa|quanto costano|prezzo|prezzi|quanto custa|custa|preço|"
		"hoeveel kost|wat kost|prijs|",
		"|多少钱|价格|费用|いくら|料金|値段|얼마|가격|",
		" euro euros eur dollar dollars usd pound pounds pence gbp chf franken francs franc cent cents crown crowns kronor"
		" krona krone kronen kroner couronne couronnes corona coronas corone coroas koruna korun koruny centimes céntimos"
		" dólar dólares dollari pfund sterline peso pesos reais rupee rupees złoty złotych zloty forint dirham shekel"
		" rubel roubles rublos yen yuan rubles free gratis kostenlos kostenfrei gratuit gratuite gratuito gratuita nothing umsonst"
		" included inklusive ",
		" kr pln zl czk rub libras livres lire lei won baht rand dinar real ", "|€|$|£|¥|￥|₹|₽|₩|₺|₪|฿|円|元|块|无料|免费|無料|원|" },
	[KB_WANTED_DURATION] = {
		"|how long does|how long do|how long will|how long is the guarantee|how long is the warranty|what is the guarantee|"
		"how many days|how many hours|how many weeks|"
		"how many minutes|how many months|how many years|how soon|wie lange|wie viele tage|wie viele stunden|"
		"combien de temps|combien de jours|durée|cuánto tiempo|cuánto dura|cuántos días|quanto tempo|quanto dura|"
		"quanti giorni|quantos dias|hoe lang|hoeveel dagen|",
		"|多久|多长时间|几天|どのくらい|何日|何時間|何分|얼마나|",
		" seconds minute minutes hour hours day days week weeks month months year years night nights lifetime"
		" immediately sekunde sekunden minuten stunde stunden tag tage tagen woche wochen monat monate monaten jahr jahre"
		" jahren seconde secondes heure heures jour jours semaine semaines mois ans année années segundo segundos minuto"
		" minutos hora horas día días semana semanas meses año años giorno giorni ora settimana settimane mese mesi"
		" anno anni dia dias semanas mês ano anos dag dagen uur uren weken maand maanden jaar kilometres kilometers metres"
		" meters ",
		" second an mes ore s min h d m km cm ", "|天|小时|分钟|周|个月|年|日|時間|分|週|か月|" },
	[KB_WANTED_LENGTH] = {
		"|how tall|how high|how wide|how deep|how thick|in centimetres|in centimeters|in inches|wie groß ist|length|height|width|depth|diameter|dimensions|wie breit|wie tief|"
		"wie dick|höhe|breite|tiefe|länge|durchmesser|maße|abmessungen|hauteur|largeur|profondeur|longueur|diamètre|"
		"altura|anchura|profundidad|longitud|dimensiones|altezza|larghezza|profondità|lunghezza|dimensioni|largura|"
		"profundidade|comprimento|hoe hoog|hoe breed|hoe diep|hoogte|breedte|diepte|",
		"|高度|宽度|深度|长度|多高|多宽|多深|高さ|幅|深さ|長さ|높이|길이|",
		" metre metres meter meters centimetre centimetres centimeter centimeters millimetre millimetres millimeter"
		" millimeters kilometre kilometres kilometer kilometers inch inches foot feet yard yards mile miles zentimeter"
		" mètre mètres centimètre centimètres quadratmeter metro metros centímetro centímetros metri centimetri characters pixels ",
		" mm cm m km dm ft px qm m² mb gb ", "|米|厘米|毫米|センチ|メートル|\"|" },
};
/* What begins so asks for a way, a reason, a person, a time or a place, or which ones there are,
 * whatever else it names: "how do I set the temperature", "who pays the costs". */
static const struct {
	const char *words, *runs;
} others = {
	"|how do|how does|how did|how can|how could|how should|how would|how to|how is|how are|why|who|whom|whose|when|where|"
	"what happens|what costs|which costs|what fees|which fees|which prices|"
	"wie kann|wie können|wie soll|wie stelle|wie stellt|wie ändere|wie ändert|wie wird|wie werden|warum|wieso|weshalb|"
	"wer|wem|wessen|wann|wo|was passiert|welche kosten|welche gebühren|comment|pourquoi|qui|quand|où|quels frais|"
	"cómo|por qué|quién|quiénes|cuándo|dónde|qué costos|qué gastos|come|perché|chi|quando|dove|quali costi|"
	"como|por que|quem|onde|quais custos|hoe kan|hoe stel|hoe wordt|waarom|wanneer|waar|welke kosten|",
	"|怎么|怎样|如何|为什么|谁|哪里|どうやって|なぜ|誰|どこ|어떻게|왜|누가|어디|",
};
/* And so asks for leave, which may only be asked for a discount. */
static const char leave[] =
	"|can i|can we|may i|may we|could i|should i|must i|do i|do we|kann ich|können wir|darf ich|dürfen wir|muss ich|"
	"soll ich|puis je|dois je|puedo|podemos|debo|posso|possiamo|devo|kan ik|mag ik|moet ik|";
// clang-format on

static bool is_word_byte(char c)
{
	unsigned char u = (unsigned char)c;

	return u >= 0x80 || (u >= 'a' && u <= 'z') || (u >= '0' && u <= '9');
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Whether one of the phrases stands in the text; of whole words where that is asked. */
static bool has_phrase(struct kb_sv text, const char *phrases, bool words)
{
	struct kb_sv rest = kb_sv_str(phrases), phrase;

	while (kb_sv_split(&rest, '|', &phrase)) {
		struct kb_sv left = text;
		ptrdiff_t at;

		while (phrase.n && (at = kb_sv_find(left, phrase)) >= 0) {
			const char *from = left.p + at, *end = from + phrase.n;

			if (!words
			    || ((from == text.p || !is_word_byte(from[-1]))
			        && (end == text.p + text.n || !is_word_byte(*end))))
				return true;
			left = kb_sv_from(left, (size_t)at + 1);
		}
	}
	return false;
}

static bool begins_with(struct kb_sv text, const char *phrases, bool words)
{
	struct kb_sv rest = kb_sv_str(phrases), phrase;

	while (kb_sv_split(&rest, '|', &phrase))
		if (phrase.n && kb_sv_starts(text, phrase)
		    && (!words || text.n == phrase.n || !is_word_byte(text.p[phrase.n])))
			return true;
	return false;
}

static bool is_of_word(char c)
{
	return is_word_byte(c) || (c >= 'A' && c <= 'Z');
}

/* Words are folded, what stands between them is kept. */
static struct kb_sv folded(struct kb_sv text, char out[KB_WANTED_BYTES])
{
	size_t n = 0;

	for (size_t i = 0; i < text.n && n < KB_WANTED_BYTES;) {
		size_t from = i;

		while (i < text.n && is_of_word(text.p[i]))
			i++;
		n += kb_fold(kb_sv_sub(text, from, i - from), false, out + n, KB_WANTED_BYTES - n);
		if (i < text.n && n < KB_WANTED_BYTES)
			out[n++] = text.p[i++];
	}
	return kb_sv(out, n);
}

enum kb_wanted kb_wanted_of(struct kb_sv question)
{
	char buf[KB_WANTED_BYTES];
	struct kb_sv text = folded(question, buf);

	for (size_t i = 0; i < text.n; i++)
		if (buf[i] == '-' || buf[i] == '\n')
			buf[i] = ' ';
	text = kb_sv_trim(text);
	if (begins_with(text, others.words, true) || begins_with(text, others.runs, false))
		return KB_WANTED_NOTHING;
	for (int kind = KB_WANTED_NOTHING + 1; kind < KB_WANTED_KINDS; kind++)
		if (has_phrase(text, kinds[kind].asks, true)
		    || has_phrase(text, kinds[kind].runs, false))
			return kind != KB_WANTED_DISCOUNT && begins_with(text, leave, true)
			               ? KB_WANTED_NOTHING
			               : (enum kb_wanted)kind;
	return KB_WANTED_NOTHING;
}

/* A run of so many digits, with what stands between those of a number. */
static bool has_long_number(struct kb_sv text)
{
	size_t digits = 0;

	for (size_t i = 0; i < text.n; i++) {
		if (is_digit(text.p[i]))
			digits++;
		else if (!strchr(" -/().+", text.p[i]))
			digits = 0;
		if (digits >= PHONE_DIGITS)
			return true;
	}
	return false;
}

/* "Price: 0.31": the column says what the figure is. */
static bool has_column(struct kb_sv text, const char *phrases)
{
	struct kb_sv rest = kb_sv_str(phrases), phrase;

	while (kb_sv_split(&rest, '|', &phrase)) {
		struct kb_sv left = text;
		ptrdiff_t at;

		while (phrase.n && (at = kb_sv_find(left, phrase)) >= 0) {
			left = kb_sv_from(left, (size_t)at + phrase.n);
			if (left.n > 2 && left.p[0] == ':' && is_digit(left.p[2]))
				return true;
		}
	}
	return false;
}

bool kb_wanted_in(enum kb_wanted kind, struct kb_sv text)
{
	char buf[KB_WANTED_BYTES];
	bool figure = false; /* the word before is one */

	if (kind == KB_WANTED_NOTHING)
		return false;
	if (has_phrase(text, kinds[kind].signs, false))
		return true;
	if (kind == KB_WANTED_PHONE)
		return has_long_number(text);
	text = folded(text, buf);
	if (has_column(text, kinds[kind].asks))
		return true;
	for (size_t i = 0; i < text.n;) {
		size_t from = i, digits;
		struct kb_sv word;

		while (i < text.n && is_word_byte(text.p[i]))
			i++;
		word = kb_sv_sub(text, from, i - from);
		for (digits = 0; digits < word.n && is_digit(word.p[digits]);)
			digits++;
		if (kb_sv_in_list(kb_sv_str(kinds[kind].words), kb_sv_from(word, digits))
		    || ((figure || digits)
		        && kb_sv_in_list(kb_sv_str(kinds[kind].units), kb_sv_from(word, digits))))
			return true;
		/* "2.5 kg": what stands between is no word. */
		if (word.n)
			figure = digits == word.n;
		i += i < text.n && !is_word_byte(text.p[i]);
	}
	return false;
}
