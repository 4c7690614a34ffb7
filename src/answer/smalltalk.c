/* The table of phrases and the few rules about what may stand around one. */
#include "answer/smalltalk.h"

#include <string.h>

#include "base/utf8.h"
#include "index/unicode.h"

enum {
	MESSAGE_CHARS = 80, /* a longer message says something */
	TEXT_MAX = 400,     /* bytes of it, folded */
};

// clang-format off
/* Folded: lower case, without punctuation and apostrophes, single blanks. A phrase of several languages
 * stands in the row of each, one that is everybody's in a row without a language. */
static const struct {
	enum kb_smalltalk kind;
	enum kb_lang lang;
	const char *phrases;
} table[] = {
	{ KB_TALK_GREETING, KB_LANG_NONE, "|hi|hey|" },
	{ KB_TALK_GREETING, KB_LANG_EN, "|hello|hi there|hey there|hiya|howdy|greetings|good morning|good afternoon|good evening|good day|morning|hello again|hi again|yo|sup|whats up|anybody there|is anybody there|is anyone there|anyone there|are you there|hello world|nice to meet you|" },
	{ KB_TALK_GREETING, KB_LANG_DE, "|hallo|guten tag|guten morgen|guten abend|servus|moin|grüß gott|grüezi|hi zusammen|" },
	{ KB_TALK_GREETING, KB_LANG_FR, "|bonjour|salut|bonsoir|coucou|bonne journée|" },
	{ KB_TALK_GREETING, KB_LANG_ES, "|hola|buenos días|buenas tardes|buenas noches|buenas|buen día|saludos|" },
	{ KB_TALK_GREETING, KB_LANG_IT, "|ciao|buongiorno|buonasera|salve|" },
	{ KB_TALK_GREETING, KB_LANG_PT, "|olá|oi|bom dia|boa tarde|boa noite|" },
	{ KB_TALK_GREETING, KB_LANG_NL, "|hallo|hoi|goedemorgen|goedemiddag|goedenavond|goedendag|" },
	{ KB_TALK_GREETING, KB_LANG_SV, "|hej|god morgon|god kväll|tjena|hejsan|" },
	{ KB_TALK_GREETING, KB_LANG_DA, "|hej|goddag|godmorgen|" },
	{ KB_TALK_GREETING, KB_LANG_NO, "|hei|hallo|god dag|god morgen|heisann|" },
	{ KB_TALK_GREETING, KB_LANG_FI, "|hei|moi|terve|hyvää päivää|hyvää huomenta|" },
	{ KB_TALK_GREETING, KB_LANG_PL, "|cześć|dzień dobry|dobry wieczór|witam|witaj|" },
	{ KB_TALK_GREETING, KB_LANG_CS, "|ahoj|dobrý den|dobré ráno|dobrý večer|" },
	{ KB_TALK_GREETING, KB_LANG_HU, "|szia|helló|jó napot|jó reggelt|" },
	{ KB_TALK_GREETING, KB_LANG_RO, "|salut|bună|bună ziua|bună dimineața|bună seara|salutare|" },
	{ KB_TALK_GREETING, KB_LANG_TR, "|merhaba|selam|günaydın|iyi günler|iyi akşamlar|" },
	{ KB_TALK_GREETING, KB_LANG_RU, "|привет|здравствуйте|здравствуй|добрый день|доброе утро|добрый вечер|" },
	{ KB_TALK_GREETING, KB_LANG_UK, "|привіт|добрий день|добрий ранок|добрий вечір|вітаю|" },
	{ KB_TALK_GREETING, KB_LANG_EL, "|γεια|γεια σας|γεια σου|καλημέρα|καλησπέρα|" },
	{ KB_TALK_GREETING, KB_LANG_AR, "|مرحبا|مرحباً|السلام عليكم|أهلا|أهلاً|صباح الخير|مساء الخير|" },
	{ KB_TALK_GREETING, KB_LANG_FA, "|سلام|درود|صبح بخیر|" },
	{ KB_TALK_GREETING, KB_LANG_HE, "|שלום|היי|בוקר טוב|ערב טוב|" },
	{ KB_TALK_GREETING, KB_LANG_HI, "|नमस्ते|नमस्कार|हैलो|सुप्रभात|" },
	{ KB_TALK_GREETING, KB_LANG_VI, "|xin chào|chào|chào bạn|chào buổi sáng|" },
	{ KB_TALK_GREETING, KB_LANG_ID, "|halo|hai|selamat pagi|selamat siang|selamat sore|selamat malam|" },
	{ KB_TALK_GREETING, KB_LANG_TH, "|สวัสดี|สวัสดีครับ|สวัสดีค่ะ|หวัดดี|" },
	{ KB_TALK_GREETING, KB_LANG_ZH, "|你好|您好|嗨|早上好|下午好|晚上好|大家好|哈喽|早安|" },
	{ KB_TALK_GREETING, KB_LANG_JA, "|こんにちは|こんばんは|おはよう|おはようございます|やあ|はじめまして|" },
	{ KB_TALK_GREETING, KB_LANG_KO, "|안녕|안녕하세요|안녕하십니까|" },

	{ KB_TALK_HOW_ARE_YOU, KB_LANG_EN, "|how are you|how are you doing|how are you today|hows it going|how is it going|how do you do|how are things|are you ok|how have you been|" },
	{ KB_TALK_HOW_ARE_YOU, KB_LANG_DE, "|wie gehts|wie geht es dir|wie geht es ihnen|wie gehts dir|" },
	{ KB_TALK_HOW_ARE_YOU, KB_LANG_FR, "|ça va|comment ça va|comment vas tu|comment allez vous|" },
	{ KB_TALK_HOW_ARE_YOU, KB_LANG_ES, "|qué tal|cómo estás|cómo está|cómo te va|que tal|como estas|" },
	{ KB_TALK_HOW_ARE_YOU, KB_LANG_IT, "|come stai|come va|come sta|" },
	{ KB_TALK_HOW_ARE_YOU, KB_LANG_PT, "|tudo bem|como vai|como está|como você está|" },
	{ KB_TALK_HOW_ARE_YOU, KB_LANG_NL, "|hoe gaat het|alles goed|" },
	{ KB_TALK_HOW_ARE_YOU, KB_LANG_PL, "|jak się masz|co słychać|" },
	{ KB_TALK_HOW_ARE_YOU, KB_LANG_TR, "|nasılsın|nasılsınız|ne haber|" },
	{ KB_TALK_HOW_ARE_YOU, KB_LANG_RU, "|как дела|как ты|как поживаешь|как вы|" },
	{ KB_TALK_HOW_ARE_YOU, KB_LANG_AR, "|كيف حالك|كيف الحال|" },
	{ KB_TALK_HOW_ARE_YOU, KB_LANG_HI, "|आप कैसे हैं|कैसे हो|" },
	{ KB_TALK_HOW_ARE_YOU, KB_LANG_ZH, "|你好吗|最近怎么样|你怎么样|" },
	{ KB_TALK_HOW_ARE_YOU, KB_LANG_JA, "|お元気ですか|元気ですか|元気|" },

	{ KB_TALK_THANKS, KB_LANG_EN, "|thanks|thank you|thx|ty|thank you very much|thanks a lot|many thanks|thank you so much|cheers|much appreciated|thanks so much|i appreciate it|thanks again|thank you again|" },
	{ KB_TALK_THANKS, KB_LANG_DE, "|danke|vielen dank|danke schön|dankeschön|danke sehr|herzlichen dank|besten dank|" },
	{ KB_TALK_THANKS, KB_LANG_FR, "|merci|merci beaucoup|je vous remercie|merci bien|" },
	{ KB_TALK_THANKS, KB_LANG_ES, "|gracias|muchas gracias|mil gracias|" },
	{ KB_TALK_THANKS, KB_LANG_IT, "|grazie|grazie mille|molte grazie|" },
	{ KB_TALK_THANKS, KB_LANG_PT, "|obrigado|obrigada|muito obrigado|muito obrigada|valeu|" },
	{ KB_TALK_THANKS, KB_LANG_NL, "|bedankt|dank je|dank je wel|dank u|dank u wel|dankjewel|" },
	{ KB_TALK_THANKS, KB_LANG_SV, "|tack|tack så mycket|" },
	{ KB_TALK_THANKS, KB_LANG_DA, "|mange tak|tak|" },
	{ KB_TALK_THANKS, KB_LANG_NO, "|takk|tusen takk|" },
	{ KB_TALK_THANKS, KB_LANG_FI, "|kiitos|kiitos paljon|" },
	{ KB_TALK_THANKS, KB_LANG_PL, "|dziękuję|dzięki|dziękuję bardzo|" },
	{ KB_TALK_THANKS, KB_LANG_CS, "|děkuji|díky|děkuju|" },
	{ KB_TALK_THANKS, KB_LANG_HU, "|köszönöm|köszi|" },
	{ KB_TALK_THANKS, KB_LANG_RO, "|mulțumesc|mersi|mulțumesc mult|" },
	{ KB_TALK_THANKS, KB_LANG_TR, "|teşekkürler|teşekkür ederim|sağ ol|sağol|çok teşekkürler|" },
	{ KB_TALK_THANKS, KB_LANG_RU, "|спасибо|большое спасибо|благодарю|спасибо большое|" },
	{ KB_TALK_THANKS, KB_LANG_UK, "|дякую|щиро дякую|" },
	{ KB_TALK_THANKS, KB_LANG_EL, "|ευχαριστώ|ευχαριστώ πολύ|" },
	{ KB_TALK_THANKS, KB_LANG_AR, "|شكرا|شكراً|شكرا جزيلا|شكرا لك|" },
	{ KB_TALK_THANKS, KB_LANG_FA, "|ممنون|متشکرم|مرسی|" },
	{ KB_TALK_THANKS, KB_LANG_HE, "|תודה|תודה רבה|" },
	{ KB_TALK_THANKS, KB_LANG_HI, "|धन्यवाद|शुक्रिया|" },
	{ KB_TALK_THANKS, KB_LANG_VI, "|cảm ơn|cám ơn|cảm ơn bạn|cảm ơn nhiều|" },
	{ KB_TALK_THANKS, KB_LANG_ID, "|terima kasih|makasih|terima kasih banyak|" },
	{ KB_TALK_THANKS, KB_LANG_TH, "|ขอบคุณ|ขอบคุณครับ|ขอบคุณค่ะ|ขอบคุณมาก|" },
	{ KB_TALK_THANKS, KB_LANG_ZH, "|谢谢|謝謝|多谢|感谢|谢谢你|非常感谢|谢谢您|" },
	{ KB_TALK_THANKS, KB_LANG_JA, "|ありがとう|ありがとうございます|どうも|ありがとうございました|" },
	{ KB_TALK_THANKS, KB_LANG_KO, "|감사합니다|고마워|고맙습니다|고마워요|" },

	{ KB_TALK_BYE, KB_LANG_EN, "|bye|goodbye|good bye|bye bye|see you|see you later|see ya|good night|have a nice day|have a good day|take care|cu|farewell|" },
	{ KB_TALK_BYE, KB_LANG_DE, "|tschüss|tschüß|auf wiedersehen|bis bald|bis später|ciao ciao|schönen tag noch|" },
	{ KB_TALK_BYE, KB_LANG_FR, "|au revoir|à bientôt|bonne nuit|à plus|" },
	{ KB_TALK_BYE, KB_LANG_ES, "|adiós|hasta luego|chao|nos vemos|hasta pronto|adios|" },
	{ KB_TALK_BYE, KB_LANG_IT, "|arrivederci|a presto|buonanotte|" },
	{ KB_TALK_BYE, KB_LANG_PT, "|tchau|adeus|até logo|até mais|" },
	{ KB_TALK_BYE, KB_LANG_NL, "|doei|tot ziens|dag|" },
	{ KB_TALK_BYE, KB_LANG_SV, "|hej då|adjö|" },
	{ KB_TALK_BYE, KB_LANG_PL, "|do widzenia|pa|do zobaczenia|" },
	{ KB_TALK_BYE, KB_LANG_RO, "|la revedere|pe curând|" },
	{ KB_TALK_BYE, KB_LANG_TR, "|hoşça kal|görüşürüz|güle güle|" },
	{ KB_TALK_BYE, KB_LANG_RU, "|пока|до свидания|до встречи|" },
	{ KB_TALK_BYE, KB_LANG_EL, "|αντίο|τα λέμε|" },
	{ KB_TALK_BYE, KB_LANG_AR, "|مع السلامة|وداعا|إلى اللقاء|" },
	{ KB_TALK_BYE, KB_LANG_HI, "|अलविदा|फिर मिलेंगे|" },
	{ KB_TALK_BYE, KB_LANG_VI, "|tạm biệt|" },
	{ KB_TALK_BYE, KB_LANG_ID, "|sampai jumpa|selamat tinggal|" },
	{ KB_TALK_BYE, KB_LANG_TH, "|ลาก่อน|แล้วเจอกัน|" },
	{ KB_TALK_BYE, KB_LANG_ZH, "|再见|再見|拜拜|晚安|回头见|" },
	{ KB_TALK_BYE, KB_LANG_JA, "|さようなら|またね|おやすみ|じゃあね|" },
	{ KB_TALK_BYE, KB_LANG_KO, "|안녕히 가세요|잘 가|안녕히 계세요|" },

	{ KB_TALK_ACK, KB_LANG_NONE, "|ok|okay|k|lol|haha|test|" },
	{ KB_TALK_ACK, KB_LANG_EN, "|i see|got it|great|cool|nice|perfect|awesome|alright|all right|sure|yes|no|yeah|yep|nope|fine|good|very good|understood|makes sense|interesting|wow|excellent|ok great|ok cool|sounds good|that helps|good to know|right|i understand|never mind|nevermind|no problem|well done|good job|good answer|testing|" },
	{ KB_TALK_ACK, KB_LANG_DE, "|ja|nein|gut|alles klar|verstanden|super|prima|verstehe|in ordnung|passt|" },
	{ KB_TALK_ACK, KB_LANG_FR, "|oui|non|daccord|très bien|parfait|je vois|compris|" },
	{ KB_TALK_ACK, KB_LANG_ES, "|sí|vale|de acuerdo|entendido|perfecto|muy bien|claro|entiendo|" },
	{ KB_TALK_ACK, KB_LANG_IT, "|sì|va bene|capito|perfetto|bene|" },
	{ KB_TALK_ACK, KB_LANG_PT, "|sim|não|tá bom|entendi|perfeito|certo|" },
	{ KB_TALK_ACK, KB_LANG_NL, "|nee|prima zo|begrepen|oké|" },
	{ KB_TALK_ACK, KB_LANG_PL, "|tak|nie|dobrze|rozumiem|jasne|" },
	{ KB_TALK_ACK, KB_LANG_TR, "|tamam|evet|hayır|anladım|peki|" },
	{ KB_TALK_ACK, KB_LANG_RU, "|да|нет|хорошо|понятно|ясно|понял|поняла|отлично|ок|" },
	{ KB_TALK_ACK, KB_LANG_AR, "|نعم|لا|حسنا|تمام|فهمت|" },
	{ KB_TALK_ACK, KB_LANG_HI, "|हाँ|नहीं|ठीक है|अच्छा|" },
	{ KB_TALK_ACK, KB_LANG_ZH, "|好|好的|是|是的|明白|明白了|知道了|不|对|嗯|了解|" },
	{ KB_TALK_ACK, KB_LANG_JA, "|はい|いいえ|わかりました|了解|なるほど|分かりました|" },
	{ KB_TALK_ACK, KB_LANG_KO, "|네|아니요|알겠습니다|좋아요|" },

	{ KB_TALK_META, KB_LANG_EN, "|who are you|what are you|whats your name|what is your name|who made you|who created you|who built you|are you a bot|are you a robot|are you human|are you a human|are you real|are you an ai|are you a person|are you a machine|am i talking to a human|am i talking to a bot|what can you do|what do you do|what are you able to do|what can i do here|how can you help|how can you help me|how do you work|how does this work|how do i use this|help|help me|can you help|can you help me|could you help me|i need help|i need some help|need help|i have a question|i have some questions|i have another question|can i ask you something|can i ask something|can i ask a question|can i ask you a question|may i ask a question|what languages do you speak|which languages do you speak|what languages do you know|what languages do you support|what can i ask|what can i ask you|what should i ask|what questions can i ask|tell me about yourself|introduce yourself|what is this|whats this|what is this bot|what model are you|are you chatgpt|where are you from|how old are you|do you understand me|who am i talking to|who is this|start|menu|what is your purpose|what are you for|" },
	{ KB_TALK_META, KB_LANG_DE, "|wer bist du|was bist du|was kannst du|was kannst du tun|wie heißt du|hilfe|wie kannst du mir helfen|kannst du mir helfen|bist du ein bot|bist du ein mensch|wer sind sie|was können sie|ich brauche hilfe|ich habe eine frage|welche sprachen sprichst du|können sie mir helfen|" },
	{ KB_TALK_META, KB_LANG_FR, "|qui es tu|qui êtes vous|que peux tu faire|que pouvez vous faire|comment tu tappelles|aide|aidez moi|peux tu maider|pouvez vous maider|es tu un robot|jai une question|jai besoin daide|" },
	{ KB_TALK_META, KB_LANG_ES, "|quién eres|qué eres|qué puedes hacer|cómo te llamas|ayuda|ayúdame|puedes ayudarme|me puedes ayudar|eres un bot|eres humano|tengo una pregunta|necesito ayuda|qué sabes hacer|" },
	{ KB_TALK_META, KB_LANG_IT, "|chi sei|cosa sei|cosa puoi fare|cosa sai fare|come ti chiami|aiuto|puoi aiutarmi|sei un bot|ho una domanda|" },
	{ KB_TALK_META, KB_LANG_PT, "|quem é você|o que você faz|o que você pode fazer|como você se chama|ajuda|pode me ajudar|você é um robô|tenho uma pergunta|preciso de ajuda|" },
	{ KB_TALK_META, KB_LANG_NL, "|wie ben je|wie ben jij|wat kun je|wat kan je|wat kun je doen|hoe heet je|kun je me helpen|ben je een bot|ik heb een vraag|" },
	{ KB_TALK_META, KB_LANG_SV, "|vem är du|vad kan du göra|vad heter du|hjälp|kan du hjälpa mig|jag har en fråga|" },
	{ KB_TALK_META, KB_LANG_PL, "|kim jesteś|co potrafisz|co umiesz|jak się nazywasz|pomoc|pomóż mi|możesz mi pomóc|mam pytanie|" },
	{ KB_TALK_META, KB_LANG_RO, "|cine ești|ce poți face|cum te cheamă|ajutor|mă poți ajuta|am o întrebare|" },
	{ KB_TALK_META, KB_LANG_TR, "|sen kimsin|kimsin|ne yapabilirsin|neler yapabilirsin|adın ne|yardım|bana yardım et|yardım eder misin|bir sorum var|bot musun|" },
	{ KB_TALK_META, KB_LANG_RU, "|кто ты|кто вы|что ты умеешь|что ты можешь|что вы умеете|как тебя зовут|помощь|помоги|помогите|ты бот|ты человек|у меня вопрос|у меня есть вопрос|" },
	{ KB_TALK_META, KB_LANG_UK, "|хто ти|що ти вмієш|допоможи|у мене питання|" },
	{ KB_TALK_META, KB_LANG_EL, "|ποιος είσαι|τι μπορείς να κάνεις|πώς σε λένε|βοήθεια|έχω μια ερώτηση|" },
	{ KB_TALK_META, KB_LANG_AR, "|من أنت|من انت|ماذا يمكنك أن تفعل|ما اسمك|مساعدة|ساعدني|هل أنت روبوت|لدي سؤال|" },
	{ KB_TALK_META, KB_LANG_HI, "|आप कौन हैं|तुम कौन हो|आप क्या कर सकते हैं|मदद|मेरी मदद करो|आपका नाम क्या है|" },
	{ KB_TALK_META, KB_LANG_VI, "|bạn là ai|bạn có thể làm gì|bạn tên gì|bạn tên là gì|giúp tôi|trợ giúp|tôi có một câu hỏi|" },
	{ KB_TALK_META, KB_LANG_ID, "|siapa kamu|siapa anda|apa yang bisa kamu lakukan|siapa namamu|tolong|bantuan|bantu saya|" },
	{ KB_TALK_META, KB_LANG_TH, "|คุณคือใคร|คุณเป็นใคร|คุณทำอะไรได้บ้าง|คุณชื่ออะไร|ช่วยด้วย|ช่วยเหลือ|" },
	{ KB_TALK_META, KB_LANG_ZH, "|你是谁|你是誰|您是谁|你会什么|你能做什么|你可以做什么|你叫什么|你叫什么名字|帮助|帮帮我|你能帮我吗|你是机器人吗|我有一个问题|我有个问题|" },
	{ KB_TALK_META, KB_LANG_JA, "|あなたは誰ですか|あなたは誰|何ができますか|何ができる|名前は|助けて|ヘルプ|質問があります|" },
	{ KB_TALK_META, KB_LANG_KO, "|누구세요|너는 누구야|무엇을 할 수 있어|무엇을 할 수 있나요|도움말|도와줘|도와주세요|이름이 뭐야|질문이 있어요|" },

	{ KB_TALK_TOPICS, KB_LANG_EN, "|what do you know|what do you know about|what topics do you know|what topics do you cover|what topics can you talk about|what topics|which topics do you know|what are you about|what information do you have|what documents do you have|what is in your knowledge base|whats in your knowledge base|what is your knowledge base|what data do you have|what can you tell me|what can you tell me about|what subjects do you know|what content do you have|which documents do you know|what sources do you have|what have you read|list your documents|list your topics|" },
	{ KB_TALK_TOPICS, KB_LANG_DE, "|was weißt du|worüber weißt du bescheid|welche themen kennst du|welche dokumente hast du|was wissen sie|" },
	{ KB_TALK_TOPICS, KB_LANG_FR, "|que sais tu|que savez vous|quels sujets connais tu|quels documents as tu|" },
	{ KB_TALK_TOPICS, KB_LANG_ES, "|qué sabes|de qué sabes|qué temas conoces|sobre qué puedes hablar|qué documentos tienes|" },
	{ KB_TALK_TOPICS, KB_LANG_IT, "|cosa sai|quali argomenti conosci|" },
	{ KB_TALK_TOPICS, KB_LANG_PT, "|o que você sabe|quais assuntos você conhece|" },
	{ KB_TALK_TOPICS, KB_LANG_NL, "|wat weet je|welke onderwerpen ken je|" },
	{ KB_TALK_TOPICS, KB_LANG_PL, "|co wiesz|jakie tematy znasz|" },
	{ KB_TALK_TOPICS, KB_LANG_TR, "|ne biliyorsun|neler biliyorsun|hangi konuları biliyorsun|" },
	{ KB_TALK_TOPICS, KB_LANG_RU, "|что ты знаешь|что вы знаете|какие темы ты знаешь|" },
	{ KB_TALK_TOPICS, KB_LANG_ZH, "|你知道什么|你知道些什么|你知道哪些内容|你有哪些资料|" },
	{ KB_TALK_TOPICS, KB_LANG_JA, "|何を知っていますか|何について知っていますか|" },

	{ KB_TALK_NAME, KB_LANG_EN, "|what is my name|whats my name|do you know my name|tell me my name|who am i|do you know who i am|" },
	{ KB_TALK_NAME, KB_LANG_DE, "|wie heiße ich|wer bin ich|weißt du wie ich heiße|kennst du meinen namen|wie ist mein name|" },
	{ KB_TALK_NAME, KB_LANG_FR, "|comment je mappelle|quel est mon nom|qui suis je|connais tu mon nom|" },
	{ KB_TALK_NAME, KB_LANG_ES, "|cómo me llamo|cuál es mi nombre|quién soy|quién soy yo|sabes mi nombre|" },
	{ KB_TALK_NAME, KB_LANG_IT, "|come mi chiamo|qual è il mio nome|chi sono io|sai come mi chiamo|" },
	{ KB_TALK_NAME, KB_LANG_PT, "|qual é o meu nome|qual é meu nome|quem sou eu|como eu me chamo|" },
	{ KB_TALK_NAME, KB_LANG_NL, "|hoe heet ik|wie ben ik|wat is mijn naam|" },
	{ KB_TALK_NAME, KB_LANG_SV, "|vad heter jag|vem är jag|" },
	{ KB_TALK_NAME, KB_LANG_PL, "|jak się nazywam|jak mam na imię|kim jestem ja|" },
	{ KB_TALK_NAME, KB_LANG_RO, "|cum mă cheamă|cine sunt eu|" },
	{ KB_TALK_NAME, KB_LANG_TR, "|benim adım ne|adım ne|ben kimim|" },
	{ KB_TALK_NAME, KB_LANG_RU, "|как меня зовут|кто я|как моё имя|" },
	{ KB_TALK_NAME, KB_LANG_UK, "|як мене звати|хто я|" },
	{ KB_TALK_NAME, KB_LANG_AR, "|ما اسمي|من أنا|" },
	{ KB_TALK_NAME, KB_LANG_HI, "|मेरा नाम क्या है|मैं कौन हूँ|" },
	{ KB_TALK_NAME, KB_LANG_VI, "|tên tôi là gì|tôi là ai|" },
	{ KB_TALK_NAME, KB_LANG_ID, "|siapa nama saya|siapa saya|" },
	{ KB_TALK_NAME, KB_LANG_ZH, "|我叫什么|我叫什么名字|我是谁|" },
	{ KB_TALK_NAME, KB_LANG_JA, "|私の名前は|私の名前は何ですか|私は誰ですか|" },
	{ KB_TALK_NAME, KB_LANG_KO, "|내 이름이 뭐야|제 이름이 뭐예요|나는 누구야|" },
};

/* "do you speak" with a language after it. */
static const char *const speaks[] = {
	"do you speak ", "can you speak ", "do you understand ", "sprichst du ", "sprechen sie ",
	"parles tu ", "parlez vous ", "hablas ", "habla ", "parli ", "você fala ", "spreek je ",
	"mówisz po ", "ты говоришь по ", "вы говорите по ",
};

/* Words around a phrase that change nothing. */
static const char fillers[] =
	"|there|bot|chatbot|assistant|please|pls|everyone|all|friend|mate|sir|madam|dear|again|so|well|oh|ok|okay|and|then|just|very much|a lot|for your help|for the help|for that|for the info|for the information|for the answer|for your time|for everything|today|now|my friend|buddy|bitte|alle|du|für die hilfe|por favor|amigo|por tu ayuda|sil vous plaît|pour votre aide|per favore|obrigado|alstublieft|proszę|lütfen|пожалуйста|за помощь|exactly|actually|here|um|hmm|great|";
// clang-format on

static bool listed(const char *list, struct kb_sv text)
{
	char needle[TEXT_MAX + 2];

	needle[0] = '|';
	memcpy(needle + 1, text.p, text.n);
	needle[text.n + 1] = '|';
	return text.n > 0 && memmem(list, strlen(list), needle, text.n + 2) != NULL;
}

/* Words in lower case between single blanks, apostrophes and punctuation dropped. */
static struct kb_sv normalize(struct kb_sv text, char out[TEXT_MAX])
{
	char kept[TEXT_MAX];
	size_t n = 0, folded = 0;
	bool blank = false;

	for (size_t i = 0; i < text.n;) {
		uint32_t cp;
		size_t size = kb_utf8_decode(kb_sv_from(text, i), &cp);
		enum kb_char_kind kind = cp == KB_UTF8_BAD ? KB_CHAR_BREAK : kb_char_kind(cp);

		if (kind == KB_CHAR_BREAK) {
			blank = blank || (cp != '\'' && cp != 0x2019);
		} else if (n + size + 1 < TEXT_MAX) {
			if (blank && n > 0)
				kept[n++] = ' ';
			blank = false;
			memcpy(kept + n, text.p + i, size);
			n += size;
		}
		i += size;
	}
	/* Word by word, since folding drops what is no letter. */
	for (size_t i = 0; i < n;) {
		size_t end = i;

		while (end < n && kept[end] != ' ')
			end++;
		if (folded > 0 && folded < TEXT_MAX)
			out[folded++] = ' ';
		folded += kb_fold(kb_sv(kept + i, end - i), false, out + folded, TEXT_MAX - folded);
		i = end + 1;
	}
	return kb_sv(out, folded);
}

/* Of several rows the likely language's counts, else the first. */
static enum kb_smalltalk look_up(struct kb_sv text, enum kb_lang likely, enum kb_lang *lang)
{
	enum kb_smalltalk kind = KB_TALK_NONE;

	for (size_t i = 0; i < KB_COUNTOF(table); i++) {
		if ((kind != KB_TALK_NONE && table[i].lang != likely)
		    || !listed(table[i].phrases, text))
			continue;
		kind = table[i].kind;
		*lang = table[i].lang;
		if (*lang == likely)
			break;
	}
	if (kind != KB_TALK_NONE)
		return kind;
	for (size_t i = 0; i < KB_COUNTOF(speaks); i++) {
		struct kb_sv start = kb_sv_str(speaks[i]);
		struct kb_sv rest;

		if (!kb_sv_starts(text, start))
			continue;
		rest = kb_sv_from(text, start.n);
		*lang = kb_lang_of_question(text);
		return rest.n > 0 && kb_sv_find_byte(rest, ' ') < 0 ? KB_TALK_META : KB_TALK_NONE;
	}
	return KB_TALK_NONE;
}

/* The text without the longest filler (of up to four words) at its start or its end; the same if
 * there is none. */
static struct kb_sv without_filler(struct kb_sv text, bool at_end)
{
	struct kb_sv shorter = text;
	size_t words = 0;

	for (size_t i = 0; i < text.n && words < 4; i++) {
		size_t at = at_end ? text.n - 1 - i : i;

		if (text.p[at] != ' ')
			continue;
		words++;
		if (at_end && listed(fillers, kb_sv_from(text, at + 1)))
			shorter = kb_sv_sub(text, 0, at);
		if (!at_end && listed(fillers, kb_sv_sub(text, 0, at)))
			shorter = kb_sv_from(text, at + 1);
	}
	return shorter;
}

static enum kb_smalltalk match(struct kb_sv text, enum kb_lang likely, enum kb_lang *lang)
{
	enum kb_smalltalk kind = look_up(text, likely, lang);

	for (int end = 1; end >= 0 && kind == KB_TALK_NONE; end--) {
		struct kb_sv shorter = text;

		for (;;) {
			struct kb_sv next = without_filler(shorter, end == 1);

			if (next.n == shorter.n)
				break;
			shorter = next;
			kind = look_up(shorter, likely, lang);
			if (kind != KB_TALK_NONE)
				break;
		}
		if (end == 1)
			text = shorter;
	}
	return kind;
}

enum kb_smalltalk kb_smalltalk(struct kb_sv text, enum kb_lang likely, enum kb_lang *lang)
{
	char folded[TEXT_MAX];
	enum kb_lang found = KB_LANG_NONE, second = KB_LANG_NONE;
	enum kb_smalltalk kind;

	if (lang)
		*lang = KB_LANG_NONE;
	text = kb_sv_trim(text);
	if (text.n == 0 || text.n > TEXT_MAX || kb_utf8_count(text) > MESSAGE_CHARS)
		return KB_TALK_NONE;
	text = normalize(text, folded);
	kind = match(text, likely, &found);
	/* "hi bot, what can you do": two of them, and the second counts. */
	for (size_t i = 0; kind == KB_TALK_NONE && i < text.n; i++) {
		enum kb_smalltalk first;

		if (text.p[i] != ' ')
			continue;
		first = match(kb_sv_sub(text, 0, i), likely, &found);
		if (first == KB_TALK_NONE || first == KB_TALK_META || first == KB_TALK_TOPICS)
			continue;
		kind = match(kb_sv_from(text, i + 1), likely, &second);
		if (kind == KB_TALK_NONE)
			found = KB_LANG_NONE;
		else if (second != KB_LANG_NONE)
			found = second;
	}
	if (lang)
		*lang = found;
	return kind;
}
