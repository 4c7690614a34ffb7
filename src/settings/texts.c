/* The built-in interface texts. A language is one row; the order of its texts is the macro's. */
#include "settings/texts.h"

#include "base/common.h"

/* A wrong number of texts does not compile. */
#define LANGUAGE(code, prompt, no_answer, hang_in_there, siesta, out_of_queries, moderation,       \
                 try_asking, more, less, answer_source, sources, limited, closest)                 \
	{                                                                                          \
		code,                                                                              \
		        {                                                                          \
			        [KB_TEXT_NONE] = "",                                               \
			        [KB_TEXT_DEFAULT_PROMPT] = prompt,                                 \
			        [KB_TEXT_NO_ANSWER] = no_answer,                                   \
			        [KB_TEXT_HANG_IN_THERE] = hang_in_there,                           \
			        [KB_TEXT_SIESTA] = siesta,                                         \
			        [KB_TEXT_OUT_OF_QUERIES] = out_of_queries,                         \
			        [KB_TEXT_FAILED_MODERATION] = moderation,                          \
			        [KB_TEXT_TRY_ASKING] = try_asking,                                 \
			        [KB_TEXT_VIEW_MORE] = more,                                        \
			        [KB_TEXT_VIEW_LESS] = less,                                        \
			        [KB_TEXT_ANSWER_SOURCE] = answer_source,                           \
			        [KB_TEXT_SOURCES] = sources,                                       \
			        [KB_TEXT_PDF_LIMITED] = limited,                                   \
			        [KB_TEXT_CLOSEST] = closest,                                       \
		        },                                                                         \
	}

// clang-format off
static const struct {
	const char *code;
	const char *text[KB_TEXT_COUNT];
} languages[] = {
	LANGUAGE("en", "Ask Me Anything ...",
		"I'm sorry, I don't know the answer",
		"Hang in there! I'm still working on it...",
		"I'm having trouble answering right now. Please try again in a moment.",
		"This agent has used up its queries for now. Please try again later.",
		"I can't answer that. Please ask something else.",
		"Try asking these questions...", "View more", "View less",
		"Where did this answer come from?", "Sources", "Limited",
		"No sure answer, but these passages come closest"),
	LANGUAGE("cmn", "有什么想问的，尽管问……",
		"抱歉，我不知道答案",
		"请稍候，我还在处理……",
		"我暂时无法回答，请稍后再试。",
		"该助手的查询次数已用完，请稍后再试。",
		"我无法回答这个问题，请换个问题。",
		"试试问这些问题……", "查看更多", "收起",
		"这个回答来自哪里？", "来源", "部分可见",
		"没有确切的答案，以下段落最接近"),
	LANGUAGE("yue", "有咩想問，隨便問啦……",
		"唔好意思，我唔知道答案",
		"請等陣，我仲處理緊……",
		"我而家答唔到，請等陣再試。",
		"呢個助手嘅查詢次數用晒，請遲啲再試。",
		"呢個問題我答唔到，請問第二樣。",
		"試下問呢啲問題……", "睇多啲", "收起",
		"呢個答案係邊度嚟？", "資料來源", "部分可見",
		"冇確實嘅答案，以下段落最接近"),
	LANGUAGE("hi", "मुझसे कुछ भी पूछें ...",
		"क्षमा करें, मुझे इसका उत्तर नहीं पता",
		"कृपया थोड़ा रुकें, मैं अभी इस पर काम कर रहा हूँ...",
		"मैं अभी उत्तर नहीं दे पा रहा हूँ। कृपया थोड़ी देर में फिर कोशिश करें।",
		"इस एजेंट की प्रश्न सीमा समाप्त हो गई है। कृपया बाद में फिर कोशिश करें।",
		"मैं इसका उत्तर नहीं दे सकता। कृपया कुछ और पूछें।",
		"ये प्रश्न पूछकर देखें...", "और देखें", "कम देखें",
		"यह उत्तर कहाँ से आया?", "स्रोत", "सीमित",
		"कोई पक्का उत्तर नहीं, पर ये अंश सबसे निकट हैं"),
	LANGUAGE("es", "Pregúntame lo que quieras...",
		"Lo siento, no sé la respuesta",
		"Un momento, sigo trabajando en ello...",
		"Ahora mismo no puedo responder. Inténtalo de nuevo en unos instantes.",
		"Este agente ha agotado sus consultas por ahora. Inténtalo más tarde.",
		"No puedo responder a eso. Pregunta otra cosa, por favor.",
		"Prueba con estas preguntas...", "Ver más", "Ver menos",
		"¿De dónde procede esta respuesta?", "Fuentes", "Limitado",
		"No hay una respuesta segura, pero estos pasajes son los más cercanos"),
	LANGUAGE("fr", "Posez-moi une question...",
		"Désolé, je ne connais pas la réponse",
		"Un instant, j'y travaille encore...",
		"Je n'arrive pas à répondre pour le moment. Veuillez réessayer dans un instant.",
		"Cet agent a épuisé ses requêtes pour le moment. Veuillez réessayer plus tard.",
		"Je ne peux pas répondre à cela. Veuillez poser une autre question.",
		"Essayez ces questions...", "Voir plus", "Voir moins",
		"D'où vient cette réponse ?", "Sources", "Limité",
		"Pas de réponse sûre, mais ces passages s'en approchent le plus"),
	LANGUAGE("ar", "اسألني عن أي شيء...",
		"عذرًا، لا أعرف الإجابة",
		"لحظة من فضلك، ما زلت أعمل على ذلك...",
		"أواجه صعوبة في الإجابة الآن. يُرجى المحاولة مرة أخرى بعد قليل.",
		"استنفد هذا المساعد عدد الاستفسارات المتاح له حاليًا. يُرجى المحاولة لاحقًا.",
		"لا يمكنني الإجابة عن ذلك. يُرجى طرح سؤال آخر.",
		"جرّب طرح هذه الأسئلة...", "عرض المزيد", "عرض أقل",
		"من أين جاءت هذه الإجابة؟", "المصادر", "محدود",
		"لا توجد إجابة مؤكدة، لكن هذه المقاطع هي الأقرب"),
	LANGUAGE("bn", "আমাকে যেকোনো কিছু জিজ্ঞাসা করুন ...",
		"দুঃখিত, আমি উত্তরটি জানি না",
		"একটু অপেক্ষা করুন, আমি এখনও কাজ করছি...",
		"এই মুহূর্তে উত্তর দিতে পারছি না। কিছুক্ষণ পরে আবার চেষ্টা করুন।",
		"এই এজেন্টের প্রশ্নের সীমা আপাতত শেষ হয়ে গেছে। পরে আবার চেষ্টা করুন।",
		"আমি এর উত্তর দিতে পারি না। অনুগ্রহ করে অন্য কিছু জিজ্ঞাসা করুন।",
		"এই প্রশ্নগুলো করে দেখুন...", "আরও দেখুন", "কম দেখুন",
		"এই উত্তরটি কোথা থেকে এসেছে?", "উৎস", "সীমিত",
		"নিশ্চিত উত্তর নেই, তবে এই অংশগুলো সবচেয়ে কাছাকাছি"),
	LANGUAGE("pt", "Pergunte-me o que quiser...",
		"Lamento, não sei a resposta",
		"Aguarde um momento, ainda estou a tratar disso...",
		"Não consigo responder neste momento. Tente novamente daqui a pouco.",
		"Este agente esgotou as suas consultas por agora. Tente novamente mais tarde.",
		"Não posso responder a isso. Por favor, faça outra pergunta.",
		"Experimente fazer estas perguntas...", "Ver mais", "Ver menos",
		"De onde veio esta resposta?", "Fontes", "Limitado",
		"Não há resposta certa, mas estas passagens são as mais próximas"),
	LANGUAGE("pt-BR", "Pergunte o que quiser...",
		"Desculpe, não sei a resposta",
		"Só um momento, ainda estou trabalhando nisso...",
		"Não estou conseguindo responder agora. Tente novamente em instantes.",
		"Este agente esgotou suas consultas por enquanto. Tente novamente mais tarde.",
		"Não posso responder a isso. Por favor, faça outra pergunta.",
		"Experimente fazer estas perguntas...", "Ver mais", "Ver menos",
		"De onde veio esta resposta?", "Fontes", "Limitado",
		"Não há resposta certa, mas estes trechos são os mais próximos"),
	LANGUAGE("ru", "Спросите меня о чём угодно...",
		"К сожалению, я не знаю ответа",
		"Подождите немного, я ещё работаю над ответом...",
		"Сейчас у меня не получается ответить. Попробуйте ещё раз чуть позже.",
		"Лимит запросов этого агента пока исчерпан. Попробуйте позже.",
		"Я не могу ответить на это. Задайте, пожалуйста, другой вопрос.",
		"Попробуйте задать эти вопросы...", "Показать больше", "Показать меньше",
		"Откуда этот ответ?", "Источники", "Ограничено",
		"Точного ответа нет, но ближе всего эти фрагменты"),
	LANGUAGE("ur", "مجھ سے کچھ بھی پوچھیں...",
		"معذرت، مجھے اس کا جواب معلوم نہیں",
		"ذرا انتظار کریں، میں ابھی اس پر کام کر رہا ہوں...",
		"میں اس وقت جواب نہیں دے پا رہا۔ براہ کرم تھوڑی دیر بعد دوبارہ کوشش کریں۔",
		"اس ایجنٹ کے سوالات کی حد فی الحال ختم ہو گئی ہے۔ براہ کرم بعد میں کوشش کریں۔",
		"میں اس کا جواب نہیں دے سکتا۔ براہ کرم کچھ اور پوچھیں۔",
		"یہ سوالات پوچھ کر دیکھیں...", "مزید دیکھیں", "کم دیکھیں",
		"یہ جواب کہاں سے آیا؟", "ذرائع", "محدود",
		"کوئی یقینی جواب نہیں، لیکن یہ اقتباسات سب سے قریب ہیں"),
	LANGUAGE("id", "Tanyakan apa saja kepada saya...",
		"Maaf, saya tidak tahu jawabannya",
		"Mohon tunggu sebentar, saya masih mengerjakannya...",
		"Saya belum bisa menjawab saat ini. Silakan coba lagi sebentar lagi.",
		"Kuota pertanyaan agen ini sudah habis untuk saat ini. Silakan coba lagi nanti.",
		"Saya tidak bisa menjawab itu. Silakan tanyakan hal lain.",
		"Coba ajukan pertanyaan berikut...", "Lihat selengkapnya", "Lihat lebih sedikit",
		"Dari mana jawaban ini berasal?", "Sumber", "Terbatas",
		"Tidak ada jawaban pasti, tetapi bagian ini paling mendekati"),
	LANGUAGE("de", "Fragen Sie mich etwas ...",
		"Es tut mir leid, ich weiß die Antwort nicht",
		"Einen Moment noch, ich arbeite daran ...",
		"Ich kann gerade nicht antworten. Bitte versuchen Sie es gleich noch einmal.",
		"Die Anfragen dieses Agenten sind vorerst aufgebraucht. Bitte versuchen Sie es später noch einmal.",
		"Das kann ich nicht beantworten. Bitte stellen Sie eine andere Frage.",
		"Probieren Sie diese Fragen ...", "Mehr anzeigen", "Weniger anzeigen",
		"Woher stammt diese Antwort?", "Quellen", "Eingeschränkt",
		"Keine sichere Antwort, aber diese Stellen kommen ihr am nächsten"),
	LANGUAGE("ja", "何でも聞いてください…",
		"申し訳ありませんが、答えがわかりません",
		"もう少々お待ちください。ただいま処理中です…",
		"現在、回答できない状態です。しばらくしてからもう一度お試しください。",
		"このエージェントの質問回数の上限に達しました。後でもう一度お試しください。",
		"そのご質問にはお答えできません。別の質問をお願いします。",
		"次の質問を試してみてください…", "もっと見る", "表示を減らす",
		"この回答の出典は？", "出典", "一部のみ表示",
		"確かな回答はありませんが、最も近い箇所はこちらです"),
	LANGUAGE("pa", "ਮੈਨੂੰ ਕੁਝ ਵੀ ਪੁੱਛੋ ...",
		"ਮਾਫ਼ ਕਰਨਾ, ਮੈਨੂੰ ਇਸ ਦਾ ਜਵਾਬ ਨਹੀਂ ਪਤਾ",
		"ਕਿਰਪਾ ਕਰਕੇ ਥੋੜ੍ਹਾ ਰੁਕੋ, ਮੈਂ ਹਾਲੇ ਇਸ 'ਤੇ ਕੰਮ ਕਰ ਰਿਹਾ ਹਾਂ...",
		"ਮੈਂ ਇਸ ਵੇਲੇ ਜਵਾਬ ਨਹੀਂ ਦੇ ਸਕਦਾ। ਕਿਰਪਾ ਕਰਕੇ ਥੋੜ੍ਹੀ ਦੇਰ ਬਾਅਦ ਮੁੜ ਕੋਸ਼ਿਸ਼ ਕਰੋ।",
		"ਇਸ ਏਜੰਟ ਦੇ ਸਵਾਲਾਂ ਦੀ ਹੱਦ ਫ਼ਿਲਹਾਲ ਖ਼ਤਮ ਹੋ ਗਈ ਹੈ। ਕਿਰਪਾ ਕਰਕੇ ਬਾਅਦ ਵਿੱਚ ਕੋਸ਼ਿਸ਼ ਕਰੋ।",
		"ਮੈਂ ਇਸ ਦਾ ਜਵਾਬ ਨਹੀਂ ਦੇ ਸਕਦਾ। ਕਿਰਪਾ ਕਰਕੇ ਕੁਝ ਹੋਰ ਪੁੱਛੋ।",
		"ਇਹ ਸਵਾਲ ਪੁੱਛ ਕੇ ਦੇਖੋ...", "ਹੋਰ ਦੇਖੋ", "ਘੱਟ ਦੇਖੋ",
		"ਇਹ ਜਵਾਬ ਕਿੱਥੋਂ ਆਇਆ?", "ਸਰੋਤ", "ਸੀਮਤ",
		"ਕੋਈ ਪੱਕਾ ਜਵਾਬ ਨਹੀਂ, ਪਰ ਇਹ ਹਿੱਸੇ ਸਭ ਤੋਂ ਨੇੜੇ ਹਨ"),
	LANGUAGE("mr", "मला काहीही विचारा ...",
		"क्षमस्व, मला याचे उत्तर माहीत नाही",
		"कृपया थोडे थांबा, मी अजून यावर काम करत आहे...",
		"मला आत्ता उत्तर देता येत नाही. कृपया थोड्या वेळाने पुन्हा प्रयत्न करा.",
		"या एजंटची प्रश्नांची मर्यादा सध्या संपली आहे. कृपया नंतर पुन्हा प्रयत्न करा.",
		"मी याचे उत्तर देऊ शकत नाही. कृपया दुसरे काही विचारा.",
		"हे प्रश्न विचारून पाहा...", "अधिक पाहा", "कमी पाहा",
		"हे उत्तर कुठून आले?", "स्रोत", "मर्यादित",
		"खात्रीशीर उत्तर नाही, पण हे उतारे सर्वात जवळचे आहेत"),
	LANGUAGE("te", "నన్ను ఏదైనా అడగండి ...",
		"క్షమించండి, నాకు సమాధానం తెలియదు",
		"కొంచెం వేచి ఉండండి, నేను ఇంకా దీనిపై పని చేస్తున్నాను...",
		"ప్రస్తుతం నేను సమాధానం ఇవ్వలేకపోతున్నాను. దయచేసి కాసేపటి తర్వాత మళ్లీ ప్రయత్నించండి.",
		"ఈ ఏజెంట్ ప్రశ్నల పరిమితి ప్రస్తుతానికి అయిపోయింది. దయచేసి తర్వాత మళ్లీ ప్రయత్నించండి.",
		"దీనికి నేను సమాధానం ఇవ్వలేను. దయచేసి వేరే ప్రశ్న అడగండి.",
		"ఈ ప్రశ్నలు అడిగి చూడండి...", "మరిన్ని చూడండి", "తక్కువ చూడండి",
		"ఈ సమాధానం ఎక్కడి నుండి వచ్చింది?", "మూలాలు", "పరిమితం",
		"ఖచ్చితమైన సమాధానం లేదు, కానీ ఈ భాగాలు అత్యంత దగ్గరగా ఉన్నాయి"),
	LANGUAGE("tr", "Bana istediğinizi sorun...",
		"Üzgünüm, yanıtı bilmiyorum",
		"Lütfen biraz bekleyin, hâlâ üzerinde çalışıyorum...",
		"Şu anda yanıt veremiyorum. Lütfen birazdan tekrar deneyin.",
		"Bu temsilcinin sorgu hakkı şimdilik doldu. Lütfen daha sonra tekrar deneyin.",
		"Bunu yanıtlayamam. Lütfen başka bir şey sorun.",
		"Şu soruları sormayı deneyin...", "Daha fazla göster", "Daha az göster",
		"Bu yanıt nereden geldi?", "Kaynaklar", "Sınırlı",
		"Kesin bir yanıt yok, ancak en yakın bölümler bunlar"),
	LANGUAGE("ta", "என்னிடம் எதையும் கேளுங்கள் ...",
		"மன்னிக்கவும், எனக்குப் பதில் தெரியவில்லை",
		"சற்று காத்திருங்கள், நான் இன்னும் இதில் பணியாற்றுகிறேன்...",
		"தற்போது என்னால் பதிலளிக்க முடியவில்லை. சிறிது நேரம் கழித்து மீண்டும் முயற்சிக்கவும்.",
		"இந்த முகவரின் கேள்வி வரம்பு தற்போதைக்கு முடிந்துவிட்டது. பின்னர் மீண்டும் முயற்சிக்கவும்.",
		"இதற்கு என்னால் பதிலளிக்க முடியாது. வேறு ஏதாவது கேளுங்கள்.",
		"இந்தக் கேள்விகளைக் கேட்டுப் பாருங்கள்...", "மேலும் காண்க", "குறைவாகக் காண்க",
		"இந்தப் பதில் எங்கிருந்து வந்தது?", "ஆதாரங்கள்", "வரையறுக்கப்பட்டது",
		"உறுதியான பதில் இல்லை, ஆனால் இந்தப் பகுதிகள் மிக நெருக்கமானவை"),
	LANGUAGE("vi", "Hãy hỏi tôi bất cứ điều gì...",
		"Xin lỗi, tôi không biết câu trả lời",
		"Vui lòng chờ một chút, tôi vẫn đang xử lý...",
		"Hiện tôi chưa thể trả lời. Vui lòng thử lại sau giây lát.",
		"Trợ lý này tạm thời đã hết lượt hỏi. Vui lòng thử lại sau.",
		"Tôi không thể trả lời câu hỏi này. Vui lòng hỏi điều khác.",
		"Hãy thử hỏi những câu sau...", "Xem thêm", "Thu gọn",
		"Câu trả lời này lấy từ đâu?", "Nguồn", "Giới hạn",
		"Không có câu trả lời chắc chắn, nhưng các đoạn này gần nhất"),
	LANGUAGE("ko", "무엇이든 물어보세요...",
		"죄송합니다. 답을 알지 못합니다",
		"잠시만 기다려 주세요. 아직 처리 중입니다...",
		"지금은 답변해 드리기 어렵습니다. 잠시 후 다시 시도해 주세요.",
		"이 에이전트의 질문 한도가 모두 소진되었습니다. 나중에 다시 시도해 주세요.",
		"그 질문에는 답변할 수 없습니다. 다른 질문을 해 주세요.",
		"이런 질문을 해 보세요...", "더 보기", "간략히 보기",
		"이 답변의 출처는 어디인가요?", "출처", "일부 공개",
		"확실한 답은 없지만 다음 구절이 가장 가깝습니다"),
	LANGUAGE("fa", "هر چه می‌خواهید از من بپرسید...",
		"متأسفم، پاسخ را نمی‌دانم",
		"لطفاً کمی صبر کنید، هنوز در حال بررسی هستم...",
		"در حال حاضر نمی‌توانم پاسخ دهم. لطفاً کمی بعد دوباره امتحان کنید.",
		"سهمیهٔ پرسش‌های این دستیار فعلاً تمام شده است. لطفاً بعداً دوباره امتحان کنید.",
		"نمی‌توانم به این پاسخ دهم. لطفاً پرسش دیگری مطرح کنید.",
		"این پرسش‌ها را امتحان کنید...", "نمایش بیشتر", "نمایش کمتر",
		"این پاسخ از کجا آمده است؟", "منابع", "محدود",
		"پاسخ مطمئنی نیست، اما این بخش‌ها نزدیک‌ترین‌اند"),
	LANGUAGE("sw", "Niulize chochote...",
		"Samahani, sijui jibu",
		"Subiri kidogo, bado ninashughulikia...",
		"Siwezi kujibu kwa sasa. Tafadhali jaribu tena baada ya muda mfupi.",
		"Wakala huyu amemaliza maswali yake kwa sasa. Tafadhali jaribu tena baadaye.",
		"Siwezi kujibu hilo. Tafadhali uliza kitu kingine.",
		"Jaribu kuuliza maswali haya...", "Onyesha zaidi", "Onyesha kidogo",
		"Jibu hili limetoka wapi?", "Vyanzo", "Imewekewa kikomo",
		"Hakuna jibu la hakika, lakini vifungu hivi vinakaribia zaidi"),
	LANGUAGE("jv", "Mangga nyuwun pirsa punapa kemawon...",
		"Nyuwun pangapunten, kula mboten mangertos wangsulanipun",
		"Sekedhap nggih, taksih kula garap...",
		"Sapunika kula dereng saged mangsuli. Mangga dipuncobi malih sekedhap malih.",
		"Jatah pitakenan agen punika sampun telas. Mangga dipuncobi malih mangke.",
		"Kula mboten saged mangsuli punika. Mangga nyuwun pirsa babagan sanes.",
		"Cobi nyuwun pirsa pitakenan punika...", "Tingali langkung kathah", "Tingali langkung sekedhik",
		"Wangsulan punika saking pundi?", "Sumber", "Winates",
		"Ora ana wangsulan sing mesthi, nanging perangan iki sing paling cedhak"),
	LANGUAGE("it", "Chiedimi quello che vuoi...",
		"Mi dispiace, non conosco la risposta",
		"Un attimo di pazienza, ci sto ancora lavorando...",
		"In questo momento non riesco a rispondere. Riprova tra poco.",
		"Questo agente ha esaurito le richieste disponibili. Riprova più tardi.",
		"Non posso rispondere a questa domanda. Prova a chiedere altro.",
		"Prova a fare queste domande...", "Mostra di più", "Mostra meno",
		"Da dove viene questa risposta?", "Fonti", "Limitato",
		"Nessuna risposta certa, ma questi passi sono i più vicini"),
	LANGUAGE("th", "ถามอะไรก็ได้...",
		"ขออภัย ฉันไม่ทราบคำตอบ",
		"กรุณารอสักครู่ กำลังดำเนินการอยู่...",
		"ขณะนี้ยังไม่สามารถตอบได้ กรุณาลองใหม่อีกครั้งในอีกสักครู่",
		"โควตาคำถามของผู้ช่วยนี้หมดแล้วในขณะนี้ กรุณาลองใหม่ภายหลัง",
		"ไม่สามารถตอบคำถามนี้ได้ กรุณาถามเรื่องอื่น",
		"ลองถามคำถามเหล่านี้...", "ดูเพิ่มเติม", "ดูน้อยลง",
		"คำตอบนี้มาจากไหน", "แหล่งที่มา", "จำกัด",
		"ไม่มีคำตอบที่แน่ชัด แต่ข้อความเหล่านี้ใกล้เคียงที่สุด"),
	LANGUAGE("gu", "મને કંઈ પણ પૂછો ...",
		"માફ કરશો, મને જવાબ ખબર નથી",
		"કૃપા કરીને થોડી રાહ જુઓ, હું હજી આના પર કામ કરી રહ્યો છું...",
		"હું અત્યારે જવાબ આપી શકતો નથી. કૃપા કરીને થોડી વાર પછી ફરી પ્રયાસ કરો.",
		"આ એજન્ટની પ્રશ્નોની મર્યાદા હાલ પૂરી થઈ ગઈ છે. કૃપા કરીને પછીથી ફરી પ્રયાસ કરો.",
		"હું આનો જવાબ આપી શકતો નથી. કૃપા કરીને બીજું કંઈક પૂછો.",
		"આ પ્રશ્નો પૂછી જુઓ...", "વધુ જુઓ", "ઓછું જુઓ",
		"આ જવાબ ક્યાંથી આવ્યો?", "સ્રોતો", "મર્યાદિત",
		"કોઈ ચોક્કસ જવાબ નથી, પણ આ ભાગો સૌથી નજીક છે"),
	LANGUAGE("kn", "ನನ್ನನ್ನು ಏನು ಬೇಕಾದರೂ ಕೇಳಿ ...",
		"ಕ್ಷಮಿಸಿ, ನನಗೆ ಉತ್ತರ ಗೊತ್ತಿಲ್ಲ",
		"ದಯವಿಟ್ಟು ಸ್ವಲ್ಪ ಕಾಯಿರಿ, ನಾನು ಇನ್ನೂ ಇದರ ಮೇಲೆ ಕೆಲಸ ಮಾಡುತ್ತಿದ್ದೇನೆ...",
		"ಸದ್ಯಕ್ಕೆ ಉತ್ತರಿಸಲು ಆಗುತ್ತಿಲ್ಲ. ದಯವಿಟ್ಟು ಸ್ವಲ್ಪ ಸಮಯದ ನಂತರ ಮತ್ತೆ ಪ್ರಯತ್ನಿಸಿ.",
		"ಈ ಏಜೆಂಟ್‌ನ ಪ್ರಶ್ನೆಗಳ ಮಿತಿ ಸದ್ಯಕ್ಕೆ ಮುಗಿದಿದೆ. ದಯವಿಟ್ಟು ನಂತರ ಮತ್ತೆ ಪ್ರಯತ್ನಿಸಿ.",
		"ನಾನು ಇದಕ್ಕೆ ಉತ್ತರಿಸಲಾರೆ. ದಯವಿಟ್ಟು ಬೇರೆ ಏನಾದರೂ ಕೇಳಿ.",
		"ಈ ಪ್ರಶ್ನೆಗಳನ್ನು ಕೇಳಿ ನೋಡಿ...", "ಇನ್ನಷ್ಟು ನೋಡಿ", "ಕಡಿಮೆ ನೋಡಿ",
		"ಈ ಉತ್ತರ ಎಲ್ಲಿಂದ ಬಂತು?", "ಮೂಲಗಳು", "ಸೀಮಿತ",
		"ಖಚಿತ ಉತ್ತರವಿಲ್ಲ, ಆದರೆ ಈ ಭಾಗಗಳು ಅತ್ಯಂತ ಹತ್ತಿರವಾಗಿವೆ"),
	LANGUAGE("ms", "Tanya saya apa sahaja...",
		"Maaf, saya tidak tahu jawapannya",
		"Sila tunggu sebentar, saya masih mengusahakannya...",
		"Saya tidak dapat menjawab buat masa ini. Sila cuba lagi sebentar nanti.",
		"Kuota pertanyaan ejen ini telah habis buat masa ini. Sila cuba lagi kemudian.",
		"Saya tidak dapat menjawab soalan itu. Sila tanya perkara lain.",
		"Cuba tanya soalan-soalan ini...", "Lihat lagi", "Lihat kurang",
		"Dari manakah jawapan ini?", "Sumber", "Terhad",
		"Tiada jawapan pasti, tetapi petikan ini paling hampir"),
	LANGUAGE("ne", "मलाई जे पनि सोध्नुहोस् ...",
		"माफ गर्नुहोस्, मलाई यसको उत्तर थाहा छैन",
		"कृपया एकछिन पर्खनुहोस्, म अझै यसमा काम गर्दै छु...",
		"म अहिले उत्तर दिन सकिरहेको छैन। कृपया केही बेरपछि फेरि प्रयास गर्नुहोस्।",
		"यस एजेन्टको प्रश्न सीमा अहिलेका लागि सकिएको छ। कृपया पछि फेरि प्रयास गर्नुहोस्।",
		"म यसको उत्तर दिन सक्दिनँ। कृपया अरू केही सोध्नुहोस्।",
		"यी प्रश्नहरू सोधेर हेर्नुहोस्...", "थप हेर्नुहोस्", "कम हेर्नुहोस्",
		"यो उत्तर कहाँबाट आयो?", "स्रोतहरू", "सीमित",
		"पक्का उत्तर छैन, तर यी अंशहरू सबैभन्दा नजिक छन्"),
	LANGUAGE("az", "Məndən istədiyinizi soruşun...",
		"Üzr istəyirəm, cavabı bilmirəm",
		"Bir az gözləyin, hələ üzərində işləyirəm...",
		"Hazırda cavab verə bilmirəm. Zəhmət olmasa, bir azdan yenidən cəhd edin.",
		"Bu agentin sorğu limiti hələlik bitib. Zəhmət olmasa, sonra yenidən cəhd edin.",
		"Buna cavab verə bilmərəm. Zəhmət olmasa, başqa sual verin.",
		"Bu sualları verməyə çalışın...", "Daha çox göstər", "Daha az göstər",
		"Bu cavab haradan götürülüb?", "Mənbələr", "Məhdud",
		"Dəqiq cavab yoxdur, amma ən yaxın hissələr bunlardır"),
	LANGUAGE("pl", "Zapytaj mnie o cokolwiek...",
		"Przepraszam, nie znam odpowiedzi",
		"Chwileczkę, wciąż nad tym pracuję...",
		"Nie mogę teraz odpowiedzieć. Spróbuj ponownie za chwilę.",
		"Ten agent wykorzystał na razie limit zapytań. Spróbuj ponownie później.",
		"Nie mogę na to odpowiedzieć. Zapytaj o coś innego.",
		"Spróbuj zadać te pytania...", "Pokaż więcej", "Pokaż mniej",
		"Skąd pochodzi ta odpowiedź?", "Źródła", "Ograniczone",
		"Nie ma pewnej odpowiedzi, ale te fragmenty są najbliżej"),
	LANGUAGE("uk", "Запитайте мене про будь-що...",
		"На жаль, я не знаю відповіді",
		"Зачекайте трохи, я ще працюю над відповіддю...",
		"Зараз мені не вдається відповісти. Спробуйте ще раз трохи згодом.",
		"Ліміт запитів цього агента наразі вичерпано. Спробуйте пізніше.",
		"Я не можу відповісти на це. Поставте, будь ласка, інше запитання.",
		"Спробуйте поставити ці запитання...", "Показати більше", "Показати менше",
		"Звідки ця відповідь?", "Джерела", "Обмежено",
		"Точної відповіді немає, але найближчі ці уривки"),
	LANGUAGE("ro", "Întreabă-mă orice...",
		"Îmi pare rău, nu știu răspunsul",
		"Un moment, încă lucrez la asta...",
		"Nu pot răspunde în acest moment. Te rog să încerci din nou peste puțin timp.",
		"Acest agent și-a epuizat deocamdată interogările. Te rog să încerci mai târziu.",
		"Nu pot răspunde la asta. Te rog să întrebi altceva.",
		"Încearcă aceste întrebări...", "Vezi mai mult", "Vezi mai puțin",
		"De unde provine acest răspuns?", "Surse", "Limitat",
		"Niciun răspuns sigur, dar aceste pasaje sunt cele mai apropiate"),
	LANGUAGE("nl", "Vraag me alles...",
		"Sorry, ik weet het antwoord niet",
		"Nog even geduld, ik ben er nog mee bezig...",
		"Ik kan nu even geen antwoord geven. Probeer het zo meteen opnieuw.",
		"De vragen van deze agent zijn voorlopig op. Probeer het later opnieuw.",
		"Daar kan ik geen antwoord op geven. Stel een andere vraag.",
		"Probeer deze vragen eens...", "Meer weergeven", "Minder weergeven",
		"Waar komt dit antwoord vandaan?", "Bronnen", "Beperkt",
		"Geen zeker antwoord, maar deze passages komen het dichtst in de buurt"),
	LANGUAGE("el", "Ρωτήστε με ό,τι θέλετε...",
		"Λυπάμαι, δεν γνωρίζω την απάντηση",
		"Περιμένετε λίγο, το επεξεργάζομαι ακόμη...",
		"Δεν μπορώ να απαντήσω αυτή τη στιγμή. Δοκιμάστε ξανά σε λίγο.",
		"Τα ερωτήματα αυτού του βοηθού εξαντλήθηκαν προς το παρόν. Δοκιμάστε ξανά αργότερα.",
		"Δεν μπορώ να απαντήσω σε αυτό. Ρωτήστε κάτι άλλο.",
		"Δοκιμάστε αυτές τις ερωτήσεις...", "Προβολή περισσότερων", "Προβολή λιγότερων",
		"Από πού προέρχεται αυτή η απάντηση;", "Πηγές", "Περιορισμένο",
		"Δεν υπάρχει σίγουρη απάντηση, αλλά αυτά τα αποσπάσματα είναι τα πιο κοντινά"),
	LANGUAGE("hu", "Kérdezzen tőlem bármit...",
		"Sajnálom, nem tudom a választ",
		"Egy kis türelmet, még dolgozom rajta...",
		"Most nem tudok válaszolni. Kérem, próbálja újra néhány pillanat múlva.",
		"Az asszisztens lekérdezései egyelőre elfogytak. Kérem, próbálja újra később.",
		"Erre nem válaszolhatok. Kérem, kérdezzen mást.",
		"Próbálja ki ezeket a kérdéseket...", "Több megjelenítése", "Kevesebb megjelenítése",
		"Honnan származik ez a válasz?", "Források", "Korlátozott",
		"Nincs biztos válasz, de ezek a részek állnak a legközelebb"),
	LANGUAGE("cs", "Zeptejte se mě na cokoli...",
		"Omlouvám se, odpověď neznám",
		"Okamžik prosím, stále na tom pracuji...",
		"Teď nemohu odpovědět. Zkuste to prosím za chvíli znovu.",
		"Tento agent prozatím vyčerpal své dotazy. Zkuste to prosím později.",
		"Na to nemohu odpovědět. Zeptejte se prosím na něco jiného.",
		"Zkuste položit tyto otázky...", "Zobrazit více", "Zobrazit méně",
		"Odkud pochází tato odpověď?", "Zdroje", "Omezeno",
		"Jistá odpověď není, ale tyto pasáže jsou nejblíže"),
	LANGUAGE("sk", "Opýtajte sa ma na čokoľvek...",
		"Prepáčte, odpoveď nepoznám",
		"Chvíľu strpenia, stále na tom pracujem...",
		"Momentálne nemôžem odpovedať. Skúste to prosím o chvíľu znova.",
		"Tento agent zatiaľ vyčerpal svoje dopyty. Skúste to prosím neskôr.",
		"Na to nemôžem odpovedať. Opýtajte sa prosím na niečo iné.",
		"Skúste položiť tieto otázky...", "Zobraziť viac", "Zobraziť menej",
		"Odkiaľ pochádza táto odpoveď?", "Zdroje", "Obmedzené",
		"Istá odpoveď nie je, ale tieto pasáže sú najbližšie"),
	LANGUAGE("sv", "Fråga mig vad som helst...",
		"Tyvärr vet jag inte svaret",
		"Ett ögonblick, jag arbetar fortfarande på det...",
		"Jag kan inte svara just nu. Försök igen om en liten stund.",
		"Den här agenten har förbrukat sina frågor för tillfället. Försök igen senare.",
		"Det kan jag inte svara på. Fråga gärna något annat.",
		"Prova att ställa de här frågorna...", "Visa mer", "Visa mindre",
		"Var kommer det här svaret ifrån?", "Källor", "Begränsad",
		"Inget säkert svar, men de här avsnitten ligger närmast"),
	LANGUAGE("da", "Spørg mig om hvad som helst...",
		"Beklager, jeg kender ikke svaret",
		"Et øjeblik, jeg arbejder stadig på det...",
		"Jeg kan ikke svare lige nu. Prøv igen om et øjeblik.",
		"Denne agent har opbrugt sine forespørgsler indtil videre. Prøv igen senere.",
		"Det kan jeg ikke svare på. Spørg venligst om noget andet.",
		"Prøv at stille disse spørgsmål...", "Vis mere", "Vis mindre",
		"Hvor kommer dette svar fra?", "Kilder", "Begrænset",
		"Intet sikkert svar, men disse afsnit kommer nærmest"),
	LANGUAGE("no", "Spør meg om hva som helst...",
		"Beklager, jeg vet ikke svaret",
		"Et øyeblikk, jeg jobber fortsatt med det...",
		"Jeg kan ikke svare akkurat nå. Prøv igjen om et lite øyeblikk.",
		"Denne agenten har brukt opp forespørslene sine foreløpig. Prøv igjen senere.",
		"Det kan jeg ikke svare på. Spør gjerne om noe annet.",
		"Prøv å stille disse spørsmålene...", "Vis mer", "Vis mindre",
		"Hvor kommer dette svaret fra?", "Kilder", "Begrenset",
		"Ikke noe sikkert svar, men disse avsnittene kommer nærmest"),
	LANGUAGE("fi", "Kysy minulta mitä tahansa...",
		"Valitettavasti en tiedä vastausta",
		"Hetki vielä, käsittelen asiaa...",
		"En pysty vastaamaan juuri nyt. Yritä hetken kuluttua uudelleen.",
		"Tämän agentin kyselyt on toistaiseksi käytetty. Yritä myöhemmin uudelleen.",
		"En voi vastata tähän. Kysy jotain muuta.",
		"Kokeile näitä kysymyksiä...", "Näytä lisää", "Näytä vähemmän",
		"Mistä tämä vastaus on peräisin?", "Lähteet", "Rajoitettu",
		"Varmaa vastausta ei ole, mutta nämä kohdat ovat lähimpänä"),
	LANGUAGE("he", "אפשר לשאול אותי כל דבר...",
		"מצטערים, התשובה אינה ידועה לי",
		"רק רגע, הטיפול עדיין נמשך...",
		"אין אפשרות לענות כרגע. נא לנסות שוב בעוד רגע.",
		"מכסת השאילתות של הסוכן הזה נוצלה לעת עתה. נא לנסות שוב מאוחר יותר.",
		"אין באפשרותי לענות על כך. נא לשאול משהו אחר.",
		"כדאי לנסות את השאלות האלה...", "הצגת עוד", "הצגת פחות",
		"מאיפה הגיעה התשובה הזאת?", "מקורות", "מוגבל",
		"אין תשובה ודאית, אבל הקטעים האלה הם הקרובים ביותר"),
	LANGUAGE("bg", "Попитайте ме каквото и да е...",
		"Съжалявам, не знам отговора",
		"Един момент, все още работя по въпроса...",
		"В момента не мога да отговоря. Моля, опитайте отново след малко.",
		"Този агент временно изчерпа заявките си. Моля, опитайте по-късно.",
		"Не мога да отговоря на това. Моля, попитайте нещо друго.",
		"Опитайте с тези въпроси...", "Покажи повече", "Покажи по-малко",
		"Откъде идва този отговор?", "Източници", "Ограничено",
		"Няма сигурен отговор, но тези откъси са най-близо"),
	LANGUAGE("ca", "Pregunta'm el que vulguis...",
		"Ho sento, no sé la resposta",
		"Un moment, encara hi estic treballant...",
		"Ara mateix no puc respondre. Torna-ho a provar d'aquí a un moment.",
		"Aquest agent ha esgotat les consultes de moment. Torna-ho a provar més tard.",
		"No puc respondre a això. Pregunta una altra cosa, si us plau.",
		"Prova de fer aquestes preguntes...", "Mostra'n més", "Mostra'n menys",
		"D'on ve aquesta resposta?", "Fonts", "Limitat",
		"No hi ha cap resposta segura, però aquests passatges són els més propers"),
	LANGUAGE("hr", "Pitajte me što god želite...",
		"Žao mi je, ne znam odgovor",
		"Samo trenutak, još radim na tome...",
		"Trenutačno ne mogu odgovoriti. Pokušajte ponovno za koji trenutak.",
		"Ovaj je agent zasad iskoristio sve upite. Pokušajte ponovno kasnije.",
		"Na to ne mogu odgovoriti. Pitajte nešto drugo.",
		"Isprobajte ova pitanja...", "Prikaži više", "Prikaži manje",
		"Odakle dolazi ovaj odgovor?", "Izvori", "Ograničeno",
		"Nema sigurnog odgovora, ali ovi su odlomci najbliži"),
	LANGUAGE("sr", "Питајте ме шта год желите...",
		"Жао ми је, не знам одговор",
		"Само тренутак, још радим на томе...",
		"Тренутно не могу да одговорим. Покушајте поново за који тренутак.",
		"Овај агент је за сада искористио све упите. Покушајте поново касније.",
		"На то не могу да одговорим. Питајте нешто друго.",
		"Испробајте ова питања...", "Прикажи више", "Прикажи мање",
		"Одакле потиче овај одговор?", "Извори", "Ограничено",
		"Нема сигурног одговора, али ови одломци су најближи"),
};

/* Codes that are written like another language. */
static const struct {
	const char *code, *written_as;
} shared[] = {
	{ "wuu", "cmn" }, /* Wu speakers write standard Chinese */
	{ "nan", "cmn" }, /* Southern Min speakers too */
	{ "mo", "ro" },   /* Moldovan is the Romanian of Moldova */
	{ "bs", "hr" },   /* Bosnian and Montenegrin in Latin letters: these texts are understood */
	{ "me", "hr" },
};
// clang-format on

/* NULL where the language has no row. */
static const char *const *texts_of(struct kb_sv lang)
{
	for (size_t i = 0; i < KB_COUNTOF(shared); i++)
		if (kb_sv_eq_str(lang, shared[i].code))
			return texts_of(kb_sv_str(shared[i].written_as));
	for (size_t i = 0; i < KB_COUNTOF(languages); i++)
		if (kb_sv_eq_str(lang, languages[i].code))
			return languages[i].text;
	return NULL;
}

struct kb_sv kb_text_built_in(struct kb_sv lang, enum kb_text text)
{
	const char *const *texts = texts_of(lang);

	KB_ASSERT(text > KB_TEXT_NONE && text < KB_TEXT_COUNT);
	return kb_sv_str(texts ? texts[text] : languages[0].text[text]);
}

/* Codes of other lists for languages of this one. */
static const struct {
	const char *tag, *code;
} tags[] = {
	{ "zh-hk", "yue" }, { "zh-mo", "yue" }, { "zh", "cmn" }, { "nb", "no" },
	{ "nn", "no" },     { "iw", "he" },     { "in", "id" },
};

/* The code that the whole of the text names, or NULL. */
static const char *code_of(struct kb_sv text)
{
	for (size_t i = 0; i < KB_COUNTOF(languages); i++)
		if (kb_sv_ieq_str(text, languages[i].code))
			return languages[i].code;
	for (size_t i = 0; i < KB_COUNTOF(shared); i++)
		if (kb_sv_ieq_str(text, shared[i].code))
			return shared[i].code;
	for (size_t i = 0; i < KB_COUNTOF(tags); i++)
		if (kb_sv_ieq_str(text, tags[i].tag))
			return tags[i].code;
	return NULL;
}

/* The code for a tag as callers write it, or NULL. */
static const char *code_of_tag(struct kb_sv tag)
{
	char plain[36] = "";
	size_t n = KB_MIN(tag.n, sizeof(plain));
	const char *code;

	for (size_t i = 0; i < n; i++)
		plain[i] = tag.p[i] == '_' ? '-' : tag.p[i];
	code = code_of(kb_sv(plain, n));
	for (size_t i = 0; !code && i < n; i++)
		if (plain[i] == '-')
			code = code_of(kb_sv(plain, i));
	return code;
}

struct kb_sv kb_text_lang(struct kb_sv tag)
{
	const char *code = code_of_tag(tag);

	return kb_sv_str(code ? code : languages[0].code);
}

struct kb_sv kb_text_lang_of(struct kb_sv accepted)
{
	struct kb_sv tag;
	const char *code = NULL;

	while (!code && kb_sv_split(&accepted, ',', &tag)) {
		ptrdiff_t weight = kb_sv_find_byte(tag, ';');

		code = code_of_tag(
		        kb_sv_trim(weight < 0 ? tag : kb_sv_sub(tag, 0, (size_t)weight)));
	}
	return kb_sv_str(code ? code : languages[0].code);
}

bool kb_text_has(struct kb_sv lang)
{
	return texts_of(lang) != NULL;
}

size_t kb_text_langs(const char **codes, size_t max)
{
	for (size_t i = 0; i < KB_MIN(max, KB_COUNTOF(languages)); i++)
		codes[i] = languages[i].code;
	return KB_COUNTOF(languages);
}
