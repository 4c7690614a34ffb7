/* The lists. Words are folded but not stemmed, phrases are such words with single blanks. */
#include "answer/cues.h"

#include <string.h>

const char *kb_question_type_name(enum kb_question_type type)
{
	static const char *const names[KB_Q_TYPES] = {
		[KB_Q_OTHER] = "other", [KB_Q_WHEN] = "when",   [KB_Q_NUM] = "number",
		[KB_Q_WHO] = "who",     [KB_Q_WHERE] = "where", [KB_Q_WHY] = "why",
	};

	return names[type];
}

// clang-format off
/* What asks for what. A phrase stands between bars; in languages without blanks it may stand
 * anywhere in the text. */
static const struct {
	enum kb_lang lang;
	enum kb_question_type type;
	const char *phrases;
} asks[] = {
	{ KB_LANG_EN, KB_Q_WHEN, "|when|what year|which year|what years|what date|which date|what day|which day|what month|which month|what century|which century|what decade|which decade|what era|what time|" },
	{ KB_LANG_EN, KB_Q_NUM, "|how many|how much|how old|how far|how long|how tall|how high|how large|how big|how often|how fast|how deep|how wide|how heavy|what percentage|what percent|what number|what amount|what distance|what age|what fraction|what proportion|how low|" },
	{ KB_LANG_EN, KB_Q_WHO, "|who|whom|whose|what person|which person|what man|what woman|whos|" },
	{ KB_LANG_EN, KB_Q_WHERE, "|where|what country|which country|what countries|which countries|what city|which city|what cities|what state|which state|what town|what place|what location|what region|what continent|what island|what river|what county|which county|" },
	{ KB_LANG_EN, KB_Q_WHY, "|why|what reason|what caused|how come|what reasons|what causes|what cause|" },
	{ KB_LANG_DE, KB_Q_WHEN, "|wann|welchem jahr|welches jahr|welchem jahrhundert|welchem datum|welchem monat|welchem tag|welches datum|seit wann|in welchen jahren|" },
	{ KB_LANG_DE, KB_Q_NUM, "|wie viele|wie viel|wieviel|wieviele|wie hoch|wie groß|wie alt|wie lange|wie lang|wie weit|wie oft|welcher prozentsatz|wie schnell|wie tief|wie schwer|welche anzahl|" },
	{ KB_LANG_DE, KB_Q_WHO, "|wer|wen|wem|wessen|" },
	{ KB_LANG_DE, KB_Q_WHERE, "|wo|woher|wohin|welchem land|welcher stadt|welches land|welche stadt|welchem ort|welchem staat|welcher region|" },
	{ KB_LANG_DE, KB_Q_WHY, "|warum|weshalb|wieso|welchem grund|" },
	{ KB_LANG_ES, KB_Q_WHEN, "|cuándo|cuando|qué año|que año|qué fecha|qué siglo|qué mes|qué día|cuál año|qué década|" },
	{ KB_LANG_ES, KB_Q_NUM, "|cuántos|cuántas|cuánto|cuánta|cuantos|cuantas|cuanto|cuanta|qué porcentaje|qué número|qué cantidad|qué edad|qué tan|" },
	{ KB_LANG_ES, KB_Q_WHO, "|quién|quiénes|quien|quienes|" },
	{ KB_LANG_ES, KB_Q_WHERE, "|dónde|donde|adónde|qué país|qué ciudad|qué lugar|qué estado|qué países|qué región|" },
	{ KB_LANG_ES, KB_Q_WHY, "|por qué|qué razón|qué motivo|" },
	{ KB_LANG_FR, KB_Q_WHEN, "|quand|quelle année|quelle date|quel siècle|quel mois|quel jour|" },
	{ KB_LANG_FR, KB_Q_NUM, "|combien|quel pourcentage|quel nombre|quel âge|quelle distance|quelle quantité|" },
	{ KB_LANG_FR, KB_Q_WHO, "|qui|" },
	{ KB_LANG_FR, KB_Q_WHERE, "|où|quel pays|quelle ville|quel endroit|quel état|quelle région|" },
	{ KB_LANG_FR, KB_Q_WHY, "|pourquoi|quelle raison|" },
	{ KB_LANG_IT, KB_Q_WHEN, "|quando|quale anno|che anno|quale data|quale secolo|" },
	{ KB_LANG_IT, KB_Q_NUM, "|quanti|quante|quanto|quanta|quale percentuale|quale numero|" },
	{ KB_LANG_IT, KB_Q_WHO, "|chi|" },
	{ KB_LANG_IT, KB_Q_WHERE, "|dove|dov|quale paese|quale città|quale stato|quale luogo|" },
	{ KB_LANG_IT, KB_Q_WHY, "|perché|quale motivo|quale ragione|" },
	{ KB_LANG_PT, KB_Q_WHEN, "|quando|que ano|qual ano|que data|que século|que mês|que dia|" },
	{ KB_LANG_PT, KB_Q_NUM, "|quantos|quantas|quanto|quanta|que porcentagem|qual a porcentagem|que percentagem|" },
	{ KB_LANG_PT, KB_Q_WHO, "|quem|" },
	{ KB_LANG_PT, KB_Q_WHERE, "|onde|aonde|que país|que cidade|que lugar|que estado|" },
	{ KB_LANG_PT, KB_Q_WHY, "|por que|por quê|porquê|porque|" },
	{ KB_LANG_NL, KB_Q_WHEN, "|wanneer|welk jaar|welke eeuw|welke datum|welke dag|" },
	{ KB_LANG_NL, KB_Q_NUM, "|hoeveel|hoe oud|hoe lang|hoe hoog|hoe groot|hoe ver|hoe vaak|" },
	{ KB_LANG_NL, KB_Q_WHO, "|wie|wiens|" },
	{ KB_LANG_NL, KB_Q_WHERE, "|waar|welk land|welke stad|welke plaats|" },
	{ KB_LANG_NL, KB_Q_WHY, "|waarom|welke reden|" },
	{ KB_LANG_SV, KB_Q_WHEN, "|när|vilket år|vilket århundrade|vilket datum|" },
	{ KB_LANG_SV, KB_Q_NUM, "|hur många|hur mycket|hur gammal|hur lång|hur stor|hur hög|hur ofta|" },
	{ KB_LANG_SV, KB_Q_WHO, "|vem|vilka|" },
	{ KB_LANG_SV, KB_Q_WHERE, "|var|vart|vilket land|vilken stad|" },
	{ KB_LANG_SV, KB_Q_WHY, "|varför|" },
	{ KB_LANG_PL, KB_Q_WHEN, "|kiedy|którym roku|jakim roku|" },
	{ KB_LANG_PL, KB_Q_NUM, "|ile|ilu|jak długo|jak wysoki|jak daleko|" },
	{ KB_LANG_PL, KB_Q_WHO, "|kto|kogo|komu|kim|" },
	{ KB_LANG_PL, KB_Q_WHERE, "|gdzie|dokąd|skąd|jakim kraju|którym kraju|jakim mieście|" },
	{ KB_LANG_PL, KB_Q_WHY, "|dlaczego|" },
	{ KB_LANG_RO, KB_Q_WHEN, "|când|ce an|care an|ce dată|ce secol|ce lună|ce zi|" },
	{ KB_LANG_RO, KB_Q_NUM, "|câți|câte|cât|câtă|ce procent|ce număr|ce vârstă|ce procentaj|" },
	{ KB_LANG_RO, KB_Q_WHO, "|cine|cui|pe cine|" },
	{ KB_LANG_RO, KB_Q_WHERE, "|unde|ce țară|ce oraș|ce loc|ce stat|ce regiune|" },
	{ KB_LANG_RO, KB_Q_WHY, "|de ce|ce motiv|" },
	{ KB_LANG_TR, KB_Q_WHEN, "|ne zaman|hangi yıl|hangi yılda|hangi tarihte|hangi yüzyılda|hangi ayda|kaç yılında|hangi gün|ne zamandır|" },
	{ KB_LANG_TR, KB_Q_NUM, "|kaç|ne kadar|kaçtır|yüzde kaç|yüzde kaçı|kaçı|kaçıncı|" },
	{ KB_LANG_TR, KB_Q_WHO, "|kim|kimdir|kimi|kime|kimin|kimler|kimdi|" },
	{ KB_LANG_TR, KB_Q_WHERE, "|nerede|nereden|nereye|neresi|hangi ülke|hangi ülkede|hangi şehir|hangi şehirde|nerededir|hangi şehre|" },
	{ KB_LANG_TR, KB_Q_WHY, "|neden|niçin|niye|" },
	{ KB_LANG_RU, KB_Q_WHEN, "|когда|каком году|какие годы|какой год|каком веке|какого числа|какого года|какой день|" },
	{ KB_LANG_RU, KB_Q_NUM, "|сколько|скольким|скольких|какое количество|какой процент|насколько|каково количество|какая доля|сколькими|" },
	{ KB_LANG_RU, KB_Q_WHO, "|кто|кого|кому|кем|ком|чей|чья|чьё|чьи|" },
	{ KB_LANG_RU, KB_Q_WHERE, "|где|куда|откуда|какой стране|каком городе|какая страна|какой город|каком месте|каком штате|" },
	{ KB_LANG_RU, KB_Q_WHY, "|почему|зачем|какой причине|" },
	{ KB_LANG_UK, KB_Q_WHEN, "|коли|якому році|" },
	{ KB_LANG_UK, KB_Q_NUM, "|скільки|" },
	{ KB_LANG_UK, KB_Q_WHO, "|хто|кого|кому|ким|" },
	{ KB_LANG_UK, KB_Q_WHERE, "|де|куди|звідки|" },
	{ KB_LANG_UK, KB_Q_WHY, "|чому|навіщо|" },
	{ KB_LANG_EL, KB_Q_WHEN, "|πότε|ποιο έτος|ποια χρονιά|ποιον αιώνα|ποια ημερομηνία|ποιο χρόνο|" },
	{ KB_LANG_EL, KB_Q_NUM, "|πόσο|πόσα|πόσοι|πόσες|πόσους|πόση|πόσος|πόσων|ποιο ποσοστό|τι ποσοστό|" },
	{ KB_LANG_EL, KB_Q_WHO, "|ποιος|ποιός|ποιοι|ποιοί|ποιον|ποιόν|ποιους|" },
	{ KB_LANG_EL, KB_Q_WHERE, "|πού|ποια χώρα|ποια πόλη|ποιο μέρος|ποια πολιτεία|" },
	{ KB_LANG_EL, KB_Q_WHY, "|γιατί|ποιο λόγο|ποιον λόγο|" },
	{ KB_LANG_AR, KB_Q_WHEN, "|متى|أي عام|أي سنة|اي عام|أي قرن|أي تاريخ|" },
	{ KB_LANG_AR, KB_Q_NUM, "|كم|ما عدد|ما نسبة|ما هو عدد|ما النسبة|" },
	{ KB_LANG_AR, KB_Q_WHO, "|من هو|من هي|من الذي|من|لمن|" },
	{ KB_LANG_AR, KB_Q_WHERE, "|أين|اين|أي بلد|أي مدينة|أي دولة|" },
	{ KB_LANG_AR, KB_Q_WHY, "|لماذا|ما سبب|" },
	{ KB_LANG_HI, KB_Q_WHEN, "|कब|किस वर्ष|किस साल|किस सदी|किस तारीख|कौन से वर्ष|किस दिन|" },
	{ KB_LANG_HI, KB_Q_NUM, "|कितने|कितना|कितनी|कितने प्रतिशत|" },
	{ KB_LANG_HI, KB_Q_WHO, "|किसने|कौन|किसे|किसको|किसके|किसका|किसकी|" },
	{ KB_LANG_HI, KB_Q_WHERE, "|कहाँ|कहां|किस देश|किस शहर|किस स्थान|किस राज्य|" },
	{ KB_LANG_HI, KB_Q_WHY, "|क्यों|" },
	{ KB_LANG_VI, KB_Q_WHEN, "|khi nào|năm nào|lúc nào|bao giờ|ngày nào|thế kỷ nào|tháng nào|" },
	{ KB_LANG_VI, KB_Q_NUM, "|bao nhiêu|mấy|bao lâu|bao xa|" },
	{ KB_LANG_VI, KB_Q_WHO, "|ai|người nào|" },
	{ KB_LANG_VI, KB_Q_WHERE, "|ở đâu|đâu|nước nào|thành phố nào|quốc gia nào|nơi nào|" },
	{ KB_LANG_VI, KB_Q_WHY, "|tại sao|vì sao|" },
	{ KB_LANG_ID, KB_Q_WHEN, "|kapan|tahun berapa|" },
	{ KB_LANG_ID, KB_Q_NUM, "|berapa|" },
	{ KB_LANG_ID, KB_Q_WHO, "|siapa|siapakah|" },
	{ KB_LANG_ID, KB_Q_WHERE, "|dimana|di mana|kemana|negara mana|" },
	{ KB_LANG_ID, KB_Q_WHY, "|mengapa|kenapa|" },
	{ KB_LANG_TH, KB_Q_WHEN, "|เมื่อไร|เมื่อไหร่|เมื่อใด|ปีใด|ปีไหน|ปีอะไร|ศตวรรษใด|ศตวรรษที่เท่าไหร่|วันใด|วันที่เท่าไหร่|เดือนใด|" },
	{ KB_LANG_TH, KB_Q_NUM, "|เท่าไร|เท่าไหร่|เท่าใด|กี่|จำนวนเท่า|" },
	{ KB_LANG_TH, KB_Q_WHO, "|ใคร|ผู้ใด|" },
	{ KB_LANG_TH, KB_Q_WHERE, "|ที่ไหน|ที่ใด|ประเทศใด|ประเทศไหน|เมืองใด|เมืองไหน|เมืองอะไร|ประเทศอะไร|" },
	{ KB_LANG_TH, KB_Q_WHY, "|ทำไม|เพราะเหตุใด|เพราะอะไร|" },
	{ KB_LANG_ZH, KB_Q_WHEN, "|什么时候|什麼時候|何时|何時|哪年|哪一年|哪天|几年|幾年|何年|什么时间|时间|時間|年份|哪一天|日期|几月|幾月|西元幾|" },
	{ KB_LANG_ZH, KB_Q_NUM, "|多少|几|幾|多大|多长|多長|多高|多远|多遠|多久|人数|人數|几个|幾個|" },
	{ KB_LANG_ZH, KB_Q_WHO, "|谁|誰|哪位|何人|哪个人|哪一位|什么人|" },
	{ KB_LANG_ZH, KB_Q_WHERE, "|哪里|哪裡|哪裏|哪儿|何处|何處|何地|什么地方|什麼地方|哪国|哪國|哪个国家|哪個國家|哪个城市|哪個城市|哪省|哪座|位于|位於|地点|" },
	{ KB_LANG_ZH, KB_Q_WHY, "|为什么|為什麼|为何|為何|原因|为甚么|" },
	{ KB_LANG_JA, KB_Q_WHEN, "|いつ|何年|何月|何日|何世紀|何時|いつ頃|" },
	{ KB_LANG_JA, KB_Q_NUM, "|いくつ|いくら|何人|何歳|何回|何個|何本|何台|何キロ|何メートル|どのくらい|どれくらい|何パーセント|何割|何番|何" "つ|" },
	{ KB_LANG_JA, KB_Q_WHO, "|誰|だれ|何者|" },
	{ KB_LANG_JA, KB_Q_WHERE, "|どこ|何処|どの国|どの都市|何県|何市|何州|" },
	{ KB_LANG_JA, KB_Q_WHY, "|なぜ|何故|どうして|理由|" },
	{ KB_LANG_KO, KB_Q_WHEN, "|언제|몇 년|몇년|어느 해|" },
	{ KB_LANG_KO, KB_Q_NUM, "|얼마|몇|" },
	{ KB_LANG_KO, KB_Q_WHO, "|누구|누가|" },
	{ KB_LANG_KO, KB_Q_WHERE, "|어디|" },
	{ KB_LANG_KO, KB_Q_WHY, "|왜|" },
};

/* What shows it. */
static const struct {
	enum kb_lang lang;
	enum kb_question_type type;
	const char *words;
} cues[] = {
	{ KB_LANG_EN, KB_Q_WHEN, " january february march april may june july august september october november december jan feb aug sept oct nov dec monday tuesday wednesday thursday friday saturday sunday century centuries decade decades spring summer autumn fall winter bc ad bce ce early late mid ago today yesterday until annually year years era period morning afternoon evening night " },
	{ KB_LANG_EN, KB_Q_NUM, " one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred hundreds thousand thousands million millions billion billions trillion percent percentage half third quarter twice once dozen dozens several single double triple few zero thirds quarters " },
	{ KB_LANG_EN, KB_Q_WHO, " president king queen emperor professor founder author scientist inventor general leader director chief engineer minister by named " },
	{ KB_LANG_EN, KB_Q_WHERE, " in at near city country state river island town region north south east west northern southern eastern western province county capital located location ocean sea coast street throughout " },
	{ KB_LANG_EN, KB_Q_WHY, " because due since reason reasons cause causes caused result resulted resulting therefore thus so order attributed consequence prevent fear believed lack despite " },
	{ KB_LANG_DE, KB_Q_WHEN, " januar februar märz april mai juni juli august september oktober november dezember montag dienstag mittwoch donnerstag freitag samstag sonntag jahrhundert jahrhunderts jahre jahr frühling sommer herbst winter chr " },
	{ KB_LANG_DE, KB_Q_NUM, " ein zwei drei vier fünf sechs sieben acht neun zehn elf zwölf zwanzig dreißig hundert tausend million millionen milliarde milliarden prozent hälfte drittel viertel dutzend mehrere " },
	{ KB_LANG_DE, KB_Q_WHO, " präsident könig königin kaiser professor gründer von " },
	{ KB_LANG_DE, KB_Q_WHERE, " in im stadt land staat fluss insel region norden süden osten westen hauptstadt provinz küste " },
	{ KB_LANG_DE, KB_Q_WHY, " weil da wegen aufgrund grund gründe ursache deshalb daher damit denn um durch " },
	{ KB_LANG_ES, KB_Q_WHEN, " enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre siglo siglos año años década primavera verano otoño invierno lunes martes miércoles jueves viernes sábado domingo " },
	{ KB_LANG_ES, KB_Q_NUM, " uno dos tres cuatro cinco seis siete ocho nueve diez once doce veinte treinta cuarenta cincuenta cien ciento mil miles millón millones mitad tercio cuarto docena varias varios " },
	{ KB_LANG_ES, KB_Q_WHO, " presidente rey reina emperador profesor fundador por " },
	{ KB_LANG_ES, KB_Q_WHERE, " en ciudad país estado río isla región norte sur este oeste capital provincia costa " },
	{ KB_LANG_ES, KB_Q_WHY, " porque debido causa razón razones motivo ya para pues resultado " },
	{ KB_LANG_FR, KB_Q_WHEN, " janvier février mars avril mai juin juillet août septembre octobre novembre décembre siècle année années printemps été automne hiver lundi mardi mercredi jeudi vendredi samedi dimanche " },
	{ KB_LANG_FR, KB_Q_NUM, " un deux trois quatre cinq six sept huit neuf dix onze douze vingt trente cent mille million millions milliard milliards moitié tiers quart dizaine plusieurs " },
	{ KB_LANG_FR, KB_Q_WHO, " président roi reine empereur professeur fondateur par " },
	{ KB_LANG_FR, KB_Q_WHERE, " à en ville pays état région île nord sud est ouest capitale province côte " },
	{ KB_LANG_FR, KB_Q_WHY, " car raison cause afin grâce puisque pour " },
	{ KB_LANG_IT, KB_Q_WHEN, " gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre secolo anno anni primavera estate autunno inverno " },
	{ KB_LANG_IT, KB_Q_NUM, " uno due tre quattro cinque sei sette otto nove dieci venti trenta cento mille mila milione milioni miliardo miliardi metà terzo " },
	{ KB_LANG_IT, KB_Q_WHERE, " in a città paese stato regione isola nord sud est ovest capitale provincia " },
	{ KB_LANG_IT, KB_Q_WHY, " causa motivo ragione poiché dovuto affinché per " },
	{ KB_LANG_PT, KB_Q_WHEN, " janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro século ano anos primavera verão outono inverno " },
	{ KB_LANG_PT, KB_Q_NUM, " um dois duas três quatro cinco seis sete oito nove dez vinte trinta cem cento mil milhão milhões bilhão bilhões metade terço " },
	{ KB_LANG_PT, KB_Q_WHERE, " em cidade país estado região ilha norte sul leste oeste capital província " },
	{ KB_LANG_PT, KB_Q_WHY, " porque devido causa razão motivo pois para " },
	{ KB_LANG_NL, KB_Q_WHEN, " januari februari maart april mei juni juli augustus september oktober november december eeuw jaar jaren lente zomer herfst winter " },
	{ KB_LANG_NL, KB_Q_NUM, " een twee drie vier vijf zes zeven acht negen tien twintig honderd duizend miljoen miljard procent helft " },
	{ KB_LANG_NL, KB_Q_WHERE, " in te stad land staat regio eiland noorden zuiden oosten westen hoofdstad provincie " },
	{ KB_LANG_NL, KB_Q_WHY, " omdat doordat wegens reden oorzaak daarom want " },
	{ KB_LANG_SV, KB_Q_WHEN, " januari februari mars april maj juni juli augusti september oktober november december århundradet talet år " },
	{ KB_LANG_SV, KB_Q_NUM, " en två tre fyra fem sex sju åtta nio tio tjugo hundra tusen miljon miljoner procent hälften " },
	{ KB_LANG_PL, KB_Q_WHEN, " stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października listopada grudnia wieku roku rok latach " },
	{ KB_LANG_PL, KB_Q_NUM, " jeden dwa trzy cztery pięć sześć siedem osiem dziewięć dziesięć sto tysiąc tysięcy milion milionów procent połowa " },
	{ KB_LANG_RO, KB_Q_WHEN, " ianuarie februarie martie aprilie mai iunie iulie august septembrie octombrie noiembrie decembrie secolul secolului anul anii ani primăvara vara toamna iarna " },
	{ KB_LANG_RO, KB_Q_NUM, " unu doi două trei patru cinci șase șapte opt nouă zece douăzeci treizeci sută sute mie mii milion milioane miliard miliarde jumătate treime sfert " },
	{ KB_LANG_RO, KB_Q_WHO, " președintele regele regina împăratul profesorul fondatorul de către " },
	{ KB_LANG_RO, KB_Q_WHERE, " în la oraș orașul țară țara stat statul regiune regiunea insula nord sud est vest capitala provincia " },
	{ KB_LANG_RO, KB_Q_WHY, " deoarece pentru cauza datorită motiv motivul întrucât fiindcă căci astfel " },
	{ KB_LANG_TR, KB_Q_WHEN, " ocak şubat mart nisan mayıs haziran temmuz ağustos eylül ekim kasım aralık yüzyıl yüzyılda yüzyılın yılında yılı yılının yıl yılda pazartesi salı çarşamba perşembe cuma cumartesi pazar ilkbahar yaz sonbahar kış " },
	{ KB_LANG_TR, KB_Q_NUM, " bir iki üç dört beş altı yedi sekiz dokuz on yirmi otuz kırk elli altmış yetmiş seksen doksan yüz bin milyon milyar yüzde yarısı üçte birkaç " },
	{ KB_LANG_TR, KB_Q_WHO, " kral kraliçe imparator başkan başkanı profesör kurucusu tarafından " },
	{ KB_LANG_TR, KB_Q_WHERE, " şehri kenti ülke nehri adası bölgesi kuzey güney doğu batı başkenti şehir şehrinde " },
	{ KB_LANG_TR, KB_Q_WHY, " çünkü nedeniyle dolayı için sebebiyle yüzünden nedeni sebebi " },
	{ KB_LANG_RU, KB_Q_WHEN, " января февраля марта апреля мая июня июля августа сентября октября ноября декабря январе феврале марте апреле мае июне июле августе сентябре октябре ноябре декабре году год года годы годах век века веке весной летом осенью зимой понедельник вторник среду четверг пятницу субботу воскресенье " },
	{ KB_LANG_RU, KB_Q_NUM, " один одна одно два две три четыре пять шесть семь восемь девять десять двадцать тридцать сорок пятьдесят сто двести тысяча тысячи тысяч миллион миллиона миллионов миллиард миллиарда миллиардов процент процента процентов половина треть четверть дважды несколько двух трех трёх четырех пяти " },
	{ KB_LANG_RU, KB_Q_WHO, " король королева император президент профессор основатель " },
	{ KB_LANG_RU, KB_Q_WHERE, " город города городе стране страны река остров регион север юг восток запад столица провинция области штате " },
	{ KB_LANG_RU, KB_Q_WHY, " потому из поскольку так причина причиной благодаря поэтому чтобы из-за ввиду вследствие " },
	{ KB_LANG_UK, KB_Q_WHEN, " січня лютого березня квітня травня червня липня серпня вересня жовтня листопада грудня року році рік століття столітті " },
	{ KB_LANG_UK, KB_Q_NUM, " один два дві три чотири п шість сім вісім десять сто тисяч мільйон мільйонів мільярдів " },
	{ KB_LANG_EL, KB_Q_WHEN, " ιανουαρίου φεβρουαρίου μαρτίου απριλίου μαΐου ιουνίου ιουλίου αυγούστου σεπτεμβρίου οκτωβρίου νοεμβρίου δεκεμβρίου ιανουάριο φεβρουάριο μάρτιο απρίλιο μάιο ιούνιο ιούλιο αύγουστο σεπτέμβριο οκτώβριο νοέμβριο δεκέμβριο αιώνα αιώνας έτος έτη δεκαετία άνοιξη καλοκαίρι φθινόπωρο χειμώνα π.χ μ.χ " },
	{ KB_LANG_EL, KB_Q_NUM, " ένα ένας μία δύο τρία τρεις τέσσερα τέσσερις πέντε έξι επτά οκτώ εννέα δέκα είκοσι τριάντα σαράντα πενήντα εκατό χίλια χιλιάδες εκατομμύρια εκατομμύριο δισεκατομμύρια τοις μισό τρίτο τέταρτο " },
	{ KB_LANG_EL, KB_Q_WHO, " βασιλιάς βασίλισσα αυτοκράτορας πρόεδρος καθηγητής ιδρυτής από " },
	{ KB_LANG_EL, KB_Q_WHERE, " στην στο στη πόλη χώρα πολιτεία ποταμός νησί περιοχή βόρεια νότια ανατολικά δυτικά πρωτεύουσα επαρχία " },
	{ KB_LANG_EL, KB_Q_WHY, " επειδή διότι λόγω λόγος λόγο καθώς αιτία ώστε εξαιτίας " },
	{ KB_LANG_AR, KB_Q_WHEN, " يناير فبراير مارس أبريل مايو يونيو يوليو أغسطس سبتمبر أكتوبر نوفمبر ديسمبر عام سنة القرن قرن العام أعوام صيف شتاء ربيع خريف يوم " },
	{ KB_LANG_AR, KB_Q_NUM, " واحد اثنان اثنين ثلاثة ثلاث أربعة أربع خمسة خمس ستة سبعة ثمانية تسعة عشرة عشر عشرين مائة مئة ألف آلاف مليون ملايين مليار المئة المائة نصف ثلث ربع ثلاثون " },
	{ KB_LANG_AR, KB_Q_WHO, " الملك ملك الرئيس رئيس الإمبراطور البروفيسور مؤسس " },
	{ KB_LANG_AR, KB_Q_WHERE, " في مدينة دولة نهر جزيرة منطقة شمال جنوب شرق غرب عاصمة مقاطعة ولاية " },
	{ KB_LANG_AR, KB_Q_WHY, " لأن بسبب نتيجة لذلك سبب لكي نظرا حيث " },
	{ KB_LANG_HI, KB_Q_WHEN, " जनवरी फरवरी मार्च अप्रैल मई जून जुलाई अगस्त सितंबर सितम्बर अक्टूबर नवंबर नवम्बर दिसंबर दिसम्बर सदी शताब्दी वर्ष साल दशक ईसा ईस्वी वसंत गर्मियों सर्दियों " },
	{ KB_LANG_HI, KB_Q_NUM, " एक दो तीन चार पांच पाँच छह सात आठ नौ दस ग्यारह बारह बीस तीस चालीस पचास सौ हजार हज़ार लाख करोड़ मिलियन बिलियन प्रतिशत आधा तिहाई अरब " },
	{ KB_LANG_HI, KB_Q_WHO, " राजा रानी सम्राट राष्ट्रपति प्रोफेसर संस्थापक " },
	{ KB_LANG_HI, KB_Q_WHERE, " शहर देश राज्य नदी द्वीप क्षेत्र उत्तर दक्षिण पूर्व पश्चिम राजधानी प्रांत स्थित " },
	{ KB_LANG_HI, KB_Q_WHY, " क्योंकि कारण इसलिए वजह ताकि चूंकि " },
	{ KB_LANG_VI, KB_Q_WHEN, " tháng năm ngày thế kỷ thập niên mùa kỉ " },
	{ KB_LANG_VI, KB_Q_NUM, " một hai ba bốn năm sáu bảy tám chín mười trăm nghìn ngàn triệu tỷ phần nửa vài " },
	{ KB_LANG_VI, KB_Q_WHO, " vua hoàng chủ tịch tổng thống giáo sư người ông bà " },
	{ KB_LANG_VI, KB_Q_WHERE, " ở tại thành phố nước quốc gia bang sông đảo vùng bắc nam đông tây thủ đô tỉnh " },
	{ KB_LANG_VI, KB_Q_WHY, " vì bởi do nên lý để nhờ " },
	{ KB_LANG_ID, KB_Q_WHEN, " januari februari maret april mei juni juli agustus september oktober november desember abad tahun " },
	{ KB_LANG_ID, KB_Q_NUM, " satu dua tiga empat lima enam tujuh delapan sembilan sepuluh ratus ribu juta miliar persen setengah " },
	{ KB_LANG_ID, KB_Q_WHY, " karena sebab akibat sehingga agar " },
	{ KB_LANG_TH, KB_Q_WHEN, " ปี พ.ศ. ค.ศ. ศตวรรษ มกราคม กุมภาพันธ์ มีนาคม เมษายน พฤษภาคม มิถุนายน กรกฎาคม สิงหาคม กันยายน ตุลาคม พฤศจิกายน ธันวาคม เดือน วันที่ ทศวรรษ " },
	{ KB_LANG_TH, KB_Q_NUM, " หนึ่ง สอง สาม สี่ ห้า หก เจ็ด แปด เก้า สิบ ร้อย พัน หมื่น แสน ล้าน เปอร์เซ็นต์ ร้อยละ ครึ่ง " },
	{ KB_LANG_TH, KB_Q_WHO, " พระเจ้า กษัตริย์ ราชินี จักรพรรดิ ประธานาธิบดี ศาสตราจารย์ นาย นาง ผู้ก่อตั้ง โดย " },
	{ KB_LANG_TH, KB_Q_WHERE, " เมือง ประเทศ รัฐ แม่น้ำ เกาะ ภูมิภาค เหนือ ใต้ ตะวันออก ตะวันตก เมืองหลวง จังหวัด ตั้งอยู่ " },
	{ KB_LANG_TH, KB_Q_WHY, " เพราะ เนื่องจาก สาเหตุ เหตุผล เพื่อ ดังนั้น " },
	{ KB_LANG_ZH, KB_Q_WHEN, " 年 月 日 世纪 世紀 年代 时期 時期 春 夏 秋 冬 初 末 " },
	{ KB_LANG_ZH, KB_Q_NUM, " 一 二 三 四 五 六 七 八 九 十 百 千 万 萬 亿 億 两 兩 半 % ％ 名 个 個 人 位 " },
	{ KB_LANG_ZH, KB_Q_WHO, " 皇帝 国王 國王 总统 總統 教授 创始人 由 导演 作者 先生 将军 · " },
	{ KB_LANG_ZH, KB_Q_WHERE, " 位于 位於 市 省 县 縣 国 國 州 区 區 岛 島 河 东 東 西 南 北 在 " },
	{ KB_LANG_ZH, KB_Q_WHY, " 因为 因為 由于 由於 因此 所以 为了 為了 导致 導致 原因 使得 因 " },
	{ KB_LANG_JA, KB_Q_WHEN, " 年 月 日 世紀 年代 時代 春 夏 秋 冬 頃 時 " },
	{ KB_LANG_JA, KB_Q_NUM, " 一 二 三 四 五 六 七 八 九 十 百 千 万 億 半 % ％ 人 個 回 歳 約 " },
	{ KB_LANG_JA, KB_Q_WHO, " 天皇 王 大統領 教授 氏 将軍 によって 監督 社長 らが " },
	{ KB_LANG_JA, KB_Q_WHERE, " 市 県 都 府 国 州 区 町 村 島 川 に位置 北 南 東 西 にある " },
	{ KB_LANG_JA, KB_Q_WHY, " ため から ので により 理由 原因 よって " },
};

/* Articles and possessives; what follows is a noun or what describes it. */
static const struct {
	enum kb_lang lang;
	const char *words;
} determiners[] = {
	{ KB_LANG_EN, " the a an my your our his her their its this that these those some any each every no " },
	{ KB_LANG_DE, " der die das den dem des ein eine einen einem einer eines mein meine meinen meinem meiner unser unsere unseren kein keine keinen diese dieser dieses " },
	{ KB_LANG_FR, " le la les l un une des du au aux d mon ma mes votre vos notre nos son sa ses leur leurs ce cette ces cet " },
	{ KB_LANG_ES, " el la los las un una unos unas mi mis su sus nuestro nuestra este esta estos estas del al " },
	{ KB_LANG_IT, " il lo la i gli le l un uno una mio mia suo sua del della dei delle al alla questo questa " },
	{ KB_LANG_PT, " o a os as um uma uns umas meu minha seu sua do da dos das no na este esta " },
	{ KB_LANG_NL, " de het een mijn onze ons uw hun zijn haar deze dit die dat geen " },
};

/* Pronouns and pointing words; a sentence that begins with one leans on the one before. */
static const struct {
	enum kb_lang lang;
	const char *words;
} pronouns[] = {
	{ KB_LANG_EN, " he she it they this these those that his her its their such both " },
	{ KB_LANG_DE, " er sie es dieser diese dieses diesem diesen dies dabei dadurch damit dafür sein seine ihre ihr " },
	{ KB_LANG_FR, " il elle ils elles ce cet cette ces cela ceci son sa ses leur leurs celui celle " },
	{ KB_LANG_ES, " él ella ellos ellas esto este esta estos estas ese esa esos esas su sus dicho dicha " },
	{ KB_LANG_IT, " egli ella esso essa essi esse lui lei loro questo questa questi queste suo sua suoi sue tale tali " },
	{ KB_LANG_PT, " ele ela eles elas isto isso este esta estes estas esse essa seu sua seus suas " },
	{ KB_LANG_NL, " hij zij ze het deze dit die dat zijn haar hun " },
	{ KB_LANG_SV, " han hon den det de denna detta dessa hans hennes deras " },
	{ KB_LANG_PL, " on ona ono oni one ten ta to te ci jego jej ich " },
	{ KB_LANG_RO, " el ea ei ele acesta aceasta aceștia acestea acest această acești aceste " },
	{ KB_LANG_TR, " o bu şu onlar bunlar onun bunun bunu onu buna " },
	{ KB_LANG_RU, " он она оно они это этот эта эти его её ее их такой такая такие " },
	{ KB_LANG_UK, " він вона воно вони це цей ця ці його її їх такий " },
	{ KB_LANG_EL, " αυτός αυτή αυτό αυτοί αυτές αυτά το " },
	{ KB_LANG_AR, " هو هي هم هذا هذه وهو وهي ذلك تلك وكان وكانت كما " },
	{ KB_LANG_HI, " यह ये वह वे इस इन उस उन इसके उसके इसका उनके " },
	{ KB_LANG_VI, " ông bà nó họ đây điều này anh cô " },
	{ KB_LANG_ID, " dia ia mereka ini itu hal " },
	{ KB_LANG_TH, " เขา เธอ มัน พวกเขา นี่ สิ่งนี้ " },
};
// clang-format on

static bool has_blanks(enum kb_lang lang)
{
	return lang != KB_LANG_ZH && lang != KB_LANG_JA && lang != KB_LANG_TH && lang != KB_LANG_KO
	       && lang != KB_LANG_LO && lang != KB_LANG_KM && lang != KB_LANG_MY;
}

/* Where the first of the phrases stands, or -1. In a text of words a phrase stands between blanks.
 */
static ptrdiff_t find_phrase(struct kb_sv text, const char *phrases, bool words)
{
	struct kb_sv rest = kb_sv_str(phrases), phrase;
	ptrdiff_t first = -1;

	while (kb_sv_split(&rest, '|', &phrase)) {
		struct kb_sv left = text;
		ptrdiff_t at;

		if (phrase.n == 0)
			continue;
		while ((at = kb_sv_find(left, phrase)) >= 0) {
			size_t from = (size_t)(left.p - text.p) + (size_t)at, to = from + phrase.n;

			if (!words
			    || ((from == 0 || text.p[from - 1] == ' ')
			        && (to == text.n || text.p[to] == ' '))) {
				if (first < 0 || (ptrdiff_t)from < first)
					first = (ptrdiff_t)from;
				break;
			}
			left = kb_sv_from(text, from + 1);
		}
	}
	return first;
}

enum kb_question_type kb_question_type(struct kb_arena *arena, enum kb_lang lang, struct kb_sv text,
                                       const struct kb_terms *terms)
{
	enum kb_question_type type = KB_Q_OTHER;
	ptrdiff_t first = -1;
	bool words = has_blanks(lang);

	if (words) {
		size_t n = 0;
		char *joined;

		for (size_t i = 0; i < terms->count; i++)
			n += terms->v[i].word.n + 1;
		joined = kb_arena_bytes(arena, n + 1);
		n = 0;
		for (size_t i = 0; i < terms->count; i++) {
			struct kb_sv word = terms->v[i].word;

			if (terms->v[i].flags & KB_TERM_PIECE)
				continue;
			if (n > 0)
				joined[n++] = ' ';
			memcpy(joined + n, word.p, word.n);
			n += word.n;
		}
		text = kb_sv(joined, n);
	}
	for (size_t i = 0; i < KB_COUNTOF(asks); i++) {
		ptrdiff_t at;

		if (asks[i].lang != lang)
			continue;
		at = find_phrase(text, asks[i].phrases, words);
		if (at >= 0 && (first < 0 || at < first)) {
			first = at;
			type = asks[i].type;
		}
	}
	return type;
}

struct kb_sv kb_cue_words(enum kb_lang lang, enum kb_question_type type)
{
	for (size_t i = 0; i < KB_COUNTOF(cues); i++)
		if (cues[i].lang == lang && cues[i].type == type)
			return kb_sv_str(cues[i].words);
	return kb_sv("", 0);
}

bool kb_cue_in(struct kb_sv cue_words, struct kb_sv word)
{
	return kb_sv_in_list(cue_words, word);
}

struct kb_sv kb_cue_list(enum kb_lang lang, enum kb_question_type type)
{
	return has_blanks(lang) ? kb_sv("", 0) : kb_cue_words(lang, type);
}

bool kb_determiner_word(enum kb_lang lang, struct kb_sv word)
{
	for (size_t i = 0; i < KB_COUNTOF(determiners); i++)
		if (determiners[i].lang == lang)
			return kb_sv_in_list(kb_sv_str(determiners[i].words), word);
	return false;
}

bool kb_pronoun_word(enum kb_lang lang, struct kb_sv word)
{
	for (size_t i = 0; i < KB_COUNTOF(pronouns); i++)
		if (pronouns[i].lang == lang)
			return kb_sv_in_list(kb_sv_str(pronouns[i].words), word);
	return false;
}
