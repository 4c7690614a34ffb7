#include "answer/phrases.h"

// clang-format off
/* One row a language; the order of the columns is enum kb_phrase. */
static const struct row {
	enum kb_lang lang;
	const char *text[KB_PHRASE_COUNT];
} rows[] = {
	{ KB_LANG_EN, { "Hello! What would you like to know?", "I'm doing well, thank you. What would you like to know?",
	  "You're welcome!", "Goodbye!", "Good. Is there anything else you would like to know?",
	  "I answer questions from the documents I was given, and say where each answer comes from.",
	  "I know about:", "You could ask, for example:",
	  "Documents: {}. Passages: {}.", "Your name is {}.",
	  "The documents say nothing about “{}”." } },
	{ KB_LANG_DE, { "Hallo! Was möchten Sie wissen?", "Danke, gut. Was möchten Sie wissen?", "Gern geschehen!",
	  "Auf Wiedersehen!", "Gut. Möchten Sie noch etwas wissen?",
	  "Ich beantworte Fragen aus den Dokumenten, die mir vorliegen, und nenne zu jeder Antwort die Quelle.",
	  "Ich weiß Bescheid über:", "Sie könnten zum Beispiel fragen:",
	  "Dokumente: {}. Abschnitte: {}.", "Sie heißen {}.",
	  "Über „{}“ steht nichts in den Dokumenten." } },
	{ KB_LANG_FR, { "Bonjour ! Que souhaitez-vous savoir ?", "Très bien, merci. Que souhaitez-vous savoir ?", "Je vous en prie !",
	  "Au revoir !", "Très bien. Souhaitez-vous savoir autre chose ?",
	  "Je réponds aux questions à partir des documents qui m'ont été confiés et j'indique la source de chaque réponse.",
	  "Je peux vous renseigner sur :", "Vous pourriez demander, par exemple :",
	  "Documents : {}. Passages : {}.", "Vous vous appelez {}.",
	  "Les documents ne disent rien sur « {} »." } },
	{ KB_LANG_ES, { "¡Hola! ¿Qué le gustaría saber?", "Muy bien, gracias. ¿Qué le gustaría saber?", "¡De nada!",
	  "¡Hasta luego!", "De acuerdo. ¿Hay algo más que quiera saber?",
	  "Respondo preguntas a partir de los documentos que tengo e indico de dónde sale cada respuesta.",
	  "Puedo informarle sobre:", "Podría preguntar, por ejemplo:",
	  "Documentos: {}. Pasajes: {}.", "Usted se llama {}.",
	  "Los documentos no dicen nada sobre «{}»." } },
	{ KB_LANG_IT, { "Ciao! Che cosa vorresti sapere?", "Bene, grazie. Che cosa vorresti sapere?", "Prego!", "Arrivederci!",
	  "Bene. C'è altro che vorresti sapere?",
	  "Rispondo alle domande a partire dai documenti che ho a disposizione e indico la fonte di ogni risposta.",
	  "Ho informazioni su:", "Potresti chiedere, per esempio:",
	  "Documenti: {}. Passaggi: {}.", "Ti chiami {}.",
	  "I documenti non dicono nulla su «{}»." } },
	{ KB_LANG_PT, { "Olá! O que gostaria de saber?", "Tudo bem, obrigado. O que gostaria de saber?", "De nada!", "Até logo!",
	  "Certo. Há mais alguma coisa que gostaria de saber?",
	  "Respondo a perguntas com base nos documentos que tenho e indico de onde vem cada resposta.",
	  "Posso informar sobre:", "Poderia perguntar, por exemplo:",
	  "Documentos: {}. Trechos: {}.", "O seu nome é {}.",
	  "Os documentos não dizem nada sobre «{}»." } },
	{ KB_LANG_NL, { "Hallo! Wat wilt u weten?", "Goed, dank u. Wat wilt u weten?", "Graag gedaan!", "Tot ziens!",
	  "Goed. Wilt u nog iets weten?",
	  "Ik beantwoord vragen uit de documenten die ik heb en vermeld waar elk antwoord vandaan komt.",
	  "Ik weet iets over:", "U kunt bijvoorbeeld vragen:",
	  "Documenten: {}. Passages: {}.", "U heet {}.",
	  "De documenten zeggen niets over “{}”." } },
	{ KB_LANG_SV, { "Hej! Vad vill du veta?", "Tack, bara bra. Vad vill du veta?", "Varsågod!", "Hej då!",
	  "Bra. Är det något mer du vill veta?",
	  "Jag svarar på frågor utifrån de dokument jag har och anger var varje svar kommer ifrån.",
	  "Jag vet något om:", "Du kan till exempel fråga:",
	  "Dokument: {}. Avsnitt: {}.", "Du heter {}.",
	  "Dokumenten säger ingenting om ”{}”." } },
	{ KB_LANG_PL, { "Dzień dobry! Czego chcesz się dowiedzieć?", "Dziękuję, dobrze. Czego chcesz się dowiedzieć?", "Nie ma za co!",
	  "Do widzenia!", "Dobrze. Czy chcesz wiedzieć coś jeszcze?",
	  "Odpowiadam na pytania na podstawie dokumentów, które mam, i podaję źródło każdej odpowiedzi.",
	  "Mam informacje na temat:", "Możesz zapytać na przykład:",
	  "Dokumenty: {}. Fragmenty: {}.", "Nazywasz się {}.",
	  "Dokumenty nie mówią nic o „{}”." } },
	{ KB_LANG_RO, { "Bună! Ce ați dori să aflați?", "Bine, mulțumesc. Ce ați dori să aflați?", "Cu plăcere!", "La revedere!",
	  "Bine. Mai doriți să aflați ceva?",
	  "Răspund la întrebări din documentele pe care le am și spun de unde vine fiecare răspuns.",
	  "Am informații despre:", "Ați putea întreba, de exemplu:",
	  "Documente: {}. Fragmente: {}.", "Vă numiți {}.",
	  "Documentele nu spun nimic despre „{}”." } },
	{ KB_LANG_TR, { "Merhaba! Ne öğrenmek istersiniz?", "İyiyim, teşekkürler. Ne öğrenmek istersiniz?", "Rica ederim!", "Hoşça kalın!",
	  "Güzel. Öğrenmek istediğiniz başka bir şey var mı?",
	  "Elimdeki belgelere dayanarak soruları yanıtlar ve her yanıtın kaynağını belirtirim.",
	  "Şu konularda bilgim var:", "Örneğin şunları sorabilirsiniz:",
	  "Belgeler: {}. Bölümler: {}.", "Adınız {}.",
	  "Belgelerde “{}” hakkında bir şey yok." } },
	{ KB_LANG_EL, { "Γεια σας! Τι θα θέλατε να μάθετε;", "Καλά, ευχαριστώ. Τι θα θέλατε να μάθετε;", "Παρακαλώ!", "Αντίο!",
	  "Ωραία. Θέλετε να μάθετε κάτι άλλο;",
	  "Απαντώ σε ερωτήσεις από τα έγγραφα που έχω και αναφέρω από πού προέρχεται κάθε απάντηση.",
	  "Έχω πληροφορίες για:", "Θα μπορούσατε, για παράδειγμα, να ρωτήσετε:",
	  "Έγγραφα: {}. Αποσπάσματα: {}.", "Σας λένε {}.",
	  "Τα έγγραφα δεν λένε τίποτα για «{}»." } },
	{ KB_LANG_RU, { "Здравствуйте! Что бы вы хотели узнать?", "Спасибо, хорошо. Что бы вы хотели узнать?", "Пожалуйста!",
	  "До свидания!", "Хорошо. Хотите узнать что-нибудь ещё?",
	  "Я отвечаю на вопросы по имеющимся у меня документам и указываю источник каждого ответа.",
	  "У меня есть сведения о следующем:", "Например, вы можете спросить:",
	  "Документов: {}. Фрагментов: {}.", "Вас зовут {}.",
	  "В документах ничего не сказано о «{}»." } },
	{ KB_LANG_UK, { "Вітаю! Що ви хотіли б дізнатися?", "Дякую, добре. Що ви хотіли б дізнатися?", "Прошу!", "До побачення!",
	  "Добре. Бажаєте дізнатися щось іще?",
	  "Я відповідаю на запитання за документами, які маю, і вказую джерело кожної відповіді.",
	  "Я маю відомості про:", "Наприклад, ви можете запитати:",
	  "Документів: {}. Фрагментів: {}.", "Вас звати {}.",
	  "У документах нічого не сказано про «{}»." } },
	{ KB_LANG_AR, { "مرحبًا! ماذا تود أن تعرف؟", "أنا بخير، شكرًا. ماذا تود أن تعرف؟", "على الرحب والسعة!", "إلى اللقاء!",
	  "حسنًا. هل هناك شيء آخر تود معرفته؟", "أجيب عن الأسئلة من المستندات المتاحة لي وأذكر مصدر كل إجابة.",
	  "لدي معلومات عن:", "يمكنك أن تسأل مثلًا:",
	  "المستندات: {}. المقاطع: {}.", "اسمك {}.",
	  "لا تذكر المستندات شيئًا عن «{}»." } },
	{ KB_LANG_HI, { "नमस्ते! आप क्या जानना चाहेंगे?", "मैं ठीक हूँ, धन्यवाद। आप क्या जानना चाहेंगे?", "आपका स्वागत है!", "अलविदा!",
	  "ठीक है। क्या आप कुछ और जानना चाहेंगे?", "मैं अपने पास मौजूद दस्तावेज़ों से प्रश्नों के उत्तर देता हूँ और हर उत्तर का स्रोत बताता हूँ।",
	  "मुझे इनके बारे में जानकारी है:", "उदाहरण के लिए, आप पूछ सकते हैं:",
	  "दस्तावेज़: {}। अंश: {}।", "आपका नाम {} है।",
	  "दस्तावेज़ों में “{}” के बारे में कुछ नहीं है।" } },
	{ KB_LANG_ID, { "Halo! Apa yang ingin Anda ketahui?", "Baik, terima kasih. Apa yang ingin Anda ketahui?", "Sama-sama!",
	  "Sampai jumpa!", "Baik. Ada hal lain yang ingin Anda ketahui?",
	  "Saya menjawab pertanyaan dari dokumen yang saya miliki dan menyebutkan sumber setiap jawaban.",
	  "Saya memiliki informasi tentang:", "Misalnya, Anda dapat bertanya:",
	  "Dokumen: {}. Bagian: {}.", "Nama Anda {}.",
	  "Dokumen tidak menyebut apa pun tentang “{}”." } },
	{ KB_LANG_VI, { "Xin chào! Bạn muốn biết điều gì?", "Tôi khỏe, cảm ơn bạn. Bạn muốn biết điều gì?", "Không có gì!", "Tạm biệt!",
	  "Vâng. Bạn còn muốn biết điều gì nữa không?",
	  "Tôi trả lời câu hỏi từ các tài liệu tôi có và cho biết nguồn của mỗi câu trả lời.",
	  "Tôi có thông tin về:", "Ví dụ, bạn có thể hỏi:",
	  "Tài liệu: {}. Đoạn: {}.", "Tên bạn là {}.",
	  "Tài liệu không nói gì về “{}”." } },
	{ KB_LANG_TH, { "สวัสดี! คุณอยากทราบเรื่องอะไร", "สบายดี ขอบคุณ คุณอยากทราบเรื่องอะไร", "ยินดี!", "ลาก่อน!",
	  "ได้เลย มีอะไรที่อยากทราบอีกไหม", "ฉันตอบคำถามจากเอกสารที่มี และบอกแหล่งที่มาของทุกคำตอบ",
	  "ฉันมีข้อมูลเกี่ยวกับ:", "ตัวอย่างเช่น คุณอาจถามว่า:",
	  "เอกสาร: {} ส่วน: {}", "คุณชื่อ {}",
	  "เอกสารไม่ได้กล่าวถึง “{}”" } },
	{ KB_LANG_ZH, { "您好！您想了解什么？", "我很好，谢谢。您想了解什么？", "不客气！", "再见！", "好的。您还想了解什么吗？",
	  "我根据所给的文档回答问题，并注明每个答案的出处。", "我了解以下内容：", "例如，您可以问：",
	  "文档：{}。段落：{}。", "您的名字是{}。",
	  "文档中没有关于“{}”的内容。" } },
	{ KB_LANG_JA, { "こんにちは。何を知りたいですか。", "元気です、ありがとうございます。何を知りたいですか。", "どういたしまして。", "さようなら。",
	  "わかりました。ほかに知りたいことはありますか。", "手元の文書をもとに質問に答え、それぞれの答えの出典を示します。",
	  "次の内容についてお答えできます。", "たとえば、次のように質問できます。",
	  "文書：{}件。段落：{}件。", "お名前は{}です。",
	  "文書に「{}」についての記載はありません。" } },
	{ KB_LANG_KO, { "안녕하세요! 무엇이 궁금하신가요?", "잘 지내요, 감사합니다. 무엇이 궁금하신가요?", "천만에요!", "안녕히 가세요!",
	  "네. 더 궁금하신 점이 있나요?", "제가 가진 문서를 바탕으로 질문에 답하고 각 답변의 출처를 알려 드립니다.",
	  "다음 내용을 알고 있습니다:", "예를 들어 이렇게 물어보실 수 있습니다:",
	  "문서: {}개. 단락: {}개.", "이름은 {}입니다.",
	  "문서에 “{}”에 대한 내용이 없습니다." } },
};
// clang-format on

struct kb_sv kb_phrase(enum kb_lang lang, enum kb_phrase phrase)
{
	for (size_t i = 0; i < KB_COUNTOF(rows); i++)
		if (rows[i].lang == lang)
			return kb_sv_str(rows[i].text[phrase]);
	return kb_sv_str(rows[0].text[phrase]);
}

struct kb_sv kb_phrase_with(struct kb_arena *arena, enum kb_lang lang, enum kb_phrase phrase,
                            const struct kb_sv *values, size_t count)
{
	struct kb_sv text = kb_phrase(lang, phrase), out = KB_SV("");

	for (size_t i = 0; i < count; i++) {
		ptrdiff_t at = kb_sv_find(text, KB_SV("{}"));

		KB_ASSERT(at >= 0);
		out = kb_arena_printf(arena, "%.*s%.*s%.*s", KB_SV_ARG(out),
		                      KB_SV_ARG(kb_sv_sub(text, 0, (size_t)at)),
		                      KB_SV_ARG(values[i]));
		text = kb_sv_from(text, (size_t)at + 2);
	}
	return kb_arena_printf(arena, "%.*s%.*s", KB_SV_ARG(out), KB_SV_ARG(text));
}
