/* Each list is one text between single blanks. */
#include "answer/named_words.h"

// clang-format off
static const char *const lists[KB_WORDS_KINDS] = {
	[KB_WORDS_UNIT] =
	        " % euro euros eur dollar dollars usd cent cents pound pounds gbp franc francs franken chf yen yuan"
	        " crown crowns kronen crédits percent prozent pourcent percento pour"
	        " km m cm mm nm kilometre kilometres kilometer kilometers kilometern metre metres meter meters metern"
	        " mile miles meilen yard yards foot feet inch inches fuß zoll ft"
	        " kg g mg t gram grams gramm grammes kilogram kilograms kilogramm kilo kilos ton tons tonne tonnes tonnen lb lbs"
	        " l ml cl litre litres liter liters litern gallon gallons"
	        " s sec secs second seconds sekunde sekunden seconde secondes min mins minute minutes minuten h hr hrs hour hours"
	        " stunde stunden heure heures uhr am pm day days tag tage tagen jour jours week weeks woche wochen semaine"
	        " semaines month months monat monate monaten mois year years jahr jahre jahren ans année années century centuries jahrhundert siècle siglo secolo"
	        " días día años año horas minutos giorni anni ore minuti dias anos"
	        " degree degrees grad degrés c f k volt volts v w watt watts kw kwh mw a amp amps ampere bar psi pa hz khz mhz ghz"
	        " kb mb gb tb kbit mbit gbit bit bits byte bytes mah ah lumen lux rpm db"
	        " million millions millionen billion billions milliarden milliards thousand tausend mille hundred hundert"
	        " times mal fois people persons personen personnes prozent x ",
	[KB_WORDS_NUMBER] = " number no nos nr num nummer numéro numero número n nº № # № ",
	[KB_WORDS_AMOUNT] =
	        " top first last next over under about around nearly almost only least most exactly approximately roughly than"
	        " plus minus another all these those every cost costs weigh weighs take takes need needs buy buys pay pays sell"
	        " have has had after within before"
	        " etwa rund ungefähr circa ca über unter mindestens höchstens nur letzten ersten nächsten kostet kosten wiegt"
	        " wiegen dauert dauern braucht brauchen alle"
	        " environ plus moins seulement premiers premières derniers dernières prochains coûte coûtent pèse pèsent prend"
	        " unos unas cerca solo primeros últimos ",
	[KB_WORDS_ORDINAL] = " st nd rd th er e ère ème eme re ter ten te º ª ",
	[KB_WORDS_CALENDAR] =
	        " january february march april may june july august september october november december"
	        " jan feb mar apr jun jul aug sep sept oct nov dec"
	        " monday tuesday wednesday thursday friday saturday sunday mondays tuesdays wednesdays thursdays fridays"
	        " saturdays sundays mon tue wed thu fri sat sun"
	        " christmas easter halloween thanksgiving ramadan hanukkah new year eve pentecost whitsun advent"
	        " januar februar märz mai juni juli oktober dezember montag dienstag mittwoch donnerstag freitag samstag sonntag"
	        " janvier février mars avril juin juillet août septembre octobre novembre décembre lundi mardi mercredi jeudi"
	        " vendredi samedi dimanche noël pâques"
	        " enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre ",
	[KB_WORDS_PEOPLE] =
	        " english german french spanish italian portuguese dutch danish swedish norwegian finnish polish czech russian"
	        " ukrainian turkish greek arabic hebrew hindi chinese japanese korean american british european asian african"
	        " indian swiss austrian belgian irish scottish welsh canadian australian mexican brazilian"
	        " englishman frenchman internet web god mr mrs ms dr prof sir lady ok tv pc id pdf faq url email"
	        " sie ihr ihre ihnen ihrer ",
	[KB_WORDS_OWN] =
	        " i my me mine we our ours us ich mein meine meinen meinem meiner mich mir wir unser unsere unseren unserem"
	        " unserer uns je j mon ma mes moi nous notre nos yo mi mis me nosotros nuestro nuestra io mio mia noi nostro"
	        " eu meu minha nós nosso nossa ik mijn mij wij we ons onze ",
	[KB_WORDS_PLACE] =
	        " in from to near at aus nach von in bei de du des à depuis en vers a desde hasta da di em para uit naar van ",
	[KB_WORDS_WAY] = " to from nach aus vers depuis hasta desde para naar ",
	[KB_WORDS_TIME] =
	        " in since of from until by before after during the im seit vor nach bis jahr jahre year en depuis avant après"
	        " année del desde nel dal em ",
	[KB_WORDS_AND] = " and und et y e en or oder ou o of & 和 或 ",
	[KB_WORDS_RANGE] = " to until till through thru bis à au a al hasta até tot 到 至 ",
	[KB_WORDS_TITLE] = " frau herr herrn fräulein dr doktor prof professor firma familie ",
	[KB_WORDS_CHINESE] =
	        " 号 號 路 条 條 章 节 節 楼 樓 层 層 级 級 版 期 届 屆 班 车 車 线 線 页 頁 区 區 款 项 項 课 課 卷 册"
	        " 冊 回 话 話 集 番 호 번 조 층 ",
	[KB_WORDS_CHINESE_UNIT] =
	        " 元 块 塊 円 人 名 位 个 個 天 日 月 年 分 秒 时 時 小 点 點 米 公 千 万 萬 亿 億 克 斤 吨 岁 歲 度 倍 次 件 张 張"
	        " 台 只 隻 家 本 원 명 개 일 시 분 ",
};
// clang-format on

bool kb_named_word(enum kb_named_words kind, struct kb_sv word)
{
	struct kb_sv list = kb_sv_str(lists[kind]);

	/* A word stands between blanks. */
	for (size_t i = 0; word.n && i + word.n + 2 <= list.n; i++) {
		ptrdiff_t at = kb_sv_find(kb_sv_from(list, i), word);

		if (at < 0)
			return false;
		i += (size_t)at;
		if (list.p[i - 1] == ' ' && list.p[i + word.n] == ' ')
			return true;
	}
	return false;
}
