/*
 * The lists. A list is one text of words between single blanks: a language has a hundred, they are
 * asked for once a distinct word (the analyzer remembers), and a person can read and mend them.
 * Words are as the analysis makes them: lower case, cut at apostrophes, so "don't" is "don" and
 * "t". Question words belong here; the words that ask for a name (name, named, called) do not.
 */
#include "index/stopwords.h"

#include <stdlib.h>

#include "base/arena.h"
#include "index/term.h"

enum { CUT_BUCKETS = 256 };

/* The words Lucene leaves out of an English index. */
static const char stops_en[] =
        " a an and are as at be but by for if in into is it no not of on or such that the their"
        " then there these they this to was will with ";

// clang-format off
static const char *const functions[KB_LANG_COUNT] = {
	[KB_LANG_EN] =
	        " a an and are as at be but by for if in into is it no not of on or such that the"
	        " their then there these they this to was will with i me my myself we our ours"
	        " ourselves you your yours yourself yourselves he him his himself she her hers"
	        " herself its itself them theirs themselves what which who whom whose those am were"
	        " been being have has had having do does did doing would should could can may might"
	        " must shall ought cannot because until while about against between through during"
	        " before after above below from up down out off over under again further once here"
	        " when where why how all any both each few more most other some nor only own same so"
	        " than too very just also s t d m ll re ve don doesn didn isn aren wasn weren hasn"
	        " haven hadn wouldn couldn shouldn mustn needn ain upon within without toward towards"
	        " among amongst whether either neither every much many one ones us let lets ever yet"
	        " please tell give explain describe know want need like get got make made since"
	        " whatever whichever whoever wherever whenever however though although per via ",
	[KB_LANG_DE] =
	        " der die das den dem des ein eine einen einem einer eines und oder aber nicht kein"
	        " keine keinen ist sind war waren wird werden wurde wurden worden sein seine seinen"
	        " seiner seinem hat haben hatte hatten kann konnte können konnten muss müssen soll"
	        " sollte will wollte darf ich du er sie es wir ihr ihre ihren ihrem ihrer mich mir"
	        " dich dir sich uns euch ihm ihn ihnen mein dein unser in im an am auf aus bei beim"
	        " mit nach von vom vor zu zum zur für über unter durch um bis gegen ohne zwischen"
	        " während als wie wenn dass daß ob weil da dann denn so auch nur noch schon sehr mehr"
	        " was wer wen wem wessen wann wo woher wohin warum wieso weshalb welche welcher"
	        " welches welchen welchem wieviel viele viel wozu womit wodurch worauf woran wofür"
	        " diese dieser dieses diesen diesem jene jener man etwas alle alles hier dort gibt ",
	[KB_LANG_FR] =
	        " le la les l un une des du de d et ou mais ne pas non est sont était étaient été être"
	        " a ont avait avaient avoir eu fut furent sera serait ai as avez avons suis es sommes"
	        " êtes je j tu il elle on nous vous ils elles me m te t se s lui leur leurs y en mon"
	        " ma mes ton ta tes son sa ses notre nos votre vos ce c cet cette ces cela ça celui"
	        " celle ceux celles dans sur sous par pour avec sans chez vers entre depuis pendant"
	        " avant après contre à au aux que qu qui quoi dont où quand comment pourquoi combien"
	        " quel quelle quels quelles lequel laquelle lesquels si comme plus moins très aussi"
	        " encore tout toute tous toutes même fait faire peut peuvent doit là ici parce quelque"
	        " lors jusqu ",
	[KB_LANG_ES] =
	        " el la los las lo un una unos unas de del y e o u pero no ni sí es son era eran fue"
	        " fueron ser sido siendo será sería está están estaba estaban estar ha han había"
	        " habían haber hay hubo he tiene tienen tenía tener hace hacer hizo puede pueden podía"
	        " debe yo tú él ella nosotros vosotros ellos ellas usted ustedes me te se nos os le les"
	        " mi mis tu tus su sus nuestro nuestra este esta estos estas ese esa esos esas esto eso"
	        " aquel aquella en a al con sin por para sobre entre desde hasta hacia contra según"
	        " durante ante tras bajo que qué quien quién quienes quiénes cual cuál cuales cuáles"
	        " cuando cuándo donde dónde adónde como cómo cuanto cuánto cuanta cuánta cuantos"
	        " cuántos cuantas cuántas porque porqué si más menos muy también ya todo toda todos"
	        " todas otro otra algo qué ",
	[KB_LANG_IT] =
	        " il lo la i gli le l un uno una di del dello della dei degli delle d a al allo alla ai"
	        " agli alle da dal dalla dai dalle in nel nello nella nei nelle su sul sulla sui sulle"
	        " con per tra fra e ed o ma non né è sono era erano fu furono essere stato stata stati"
	        " state sarà ha hanno aveva avevano avere ho hai abbiamo io tu lui lei noi voi loro mi"
	        " ti si ci vi ne mio mia suo sua suoi sue nostro vostro questo questa questi queste"
	        " quello quella quelli quelle che chi cui quale quali qual cosa cos quando dove dov"
	        " come perché quanto quanta quanti quante se più meno molto anche già tutto tutti"
	        " tutte può possono deve fare fa viene vengono dopo prima durante senza contro ",
	[KB_LANG_PT] =
	        " o a os as um uma uns umas de do da dos das d e ou mas não nem é são era eram foi"
	        " foram ser sido sendo será seria está estão estava estavam estar há havia haver tem"
	        " têm tinha tinham ter faz fazer fez pode podem deve eu tu ele ela nós vós eles elas"
	        " você vocês me te se nos lhe lhes meu minha seu sua seus suas nosso nossa este esta"
	        " estes estas esse essa esses essas isto isso aquele aquela em no na nos nas ao à aos"
	        " às com sem por pelo pela pelos pelas para sobre entre desde até contra segundo"
	        " durante que quê quem qual quais quando onde aonde como quanto quanta quantos quantas"
	        " porque porquê se mais menos muito também já todo toda todos todas outro outra algo"
	        " num numa ",
	[KB_LANG_NL] =
	        " de het een en of maar niet geen is zijn was waren wordt worden werd werden geworden"
	        " heeft hebben had hadden kan kon kunnen konden moet moeten zal zullen zou zouden mag"
	        " wil ik jij je u hij zij ze het wij we jullie mij me jou hem haar ons hun hen mijn"
	        " jouw uw onze deze dit die dat in op aan van voor met bij naar uit door over onder"
	        " tussen tegen tijdens zonder om te tot na als dan toen dus ook nog al er hier daar"
	        " wat wie wiens wanneer waar waarom waarvoor waarmee waaruit waarvan waardoor welk"
	        " welke hoe hoeveel hoelang omdat zo zeer meer veel alle alles iets men ",
	[KB_LANG_SV] =
	        " och eller men inte ej en ett den det de är var vara varit blir blev bli har hade ha"
	        " kan kunde ska skall skulle vill ville måste får fick jag du han hon vi ni de dem mig"
	        " dig honom henne oss er sig min din hans hennes vår deras sin sitt sina denna detta"
	        " dessa som att i på av för med till från om under över mellan mot genom efter före"
	        " vid hos utan än så också bara när då där här vad vem vems vilka vilken vilket var"
	        " varför varifrån vart hur många mycket mer alla allt något någon ",
	[KB_LANG_DA] =
	        " og eller men ikke en et den det de er var være været bliver blev blive har havde"
	        " have kan kunne skal skulle vil ville må måtte jeg du han hun vi i de dem mig dig ham"
	        " hende os jer sig min din hans hendes vores deres sin sit sine denne dette disse som"
	        " at på af for med til fra om under over mellem mod gennem efter før ved hos uden end"
	        " så også kun når da der her hvad hvem hvis hvilke hvilken hvilket hvor hvornår"
	        " hvorfor hvordan mange meget mere alle alt noget nogen ",
	[KB_LANG_NO] =
	        " og eller men ikke en et ei den det de er var være vært blir ble bli har hadde ha kan"
	        " kunne skal skulle vil ville må måtte jeg du han hun vi dere de dem meg deg ham henne"
	        " oss seg min din hans hennes vår deres sin sitt sine denne dette disse som at i på av"
	        " for med til fra om under over mellom mot gjennom etter før ved hos uten enn så også"
	        " bare når da der her hva hvem hvilke hvilken hvilket hvor hvorfor hvordan mange mye"
	        " mer alle alt noe noen ",
	[KB_LANG_FI] =
	        " ja tai mutta ei eivät en et emme ette on ovat oli olivat olla ollut ole olisi minä"
	        " sinä hän me te he se ne tämä tuo nämä nuo minun sinun hänen meidän teidän heidän"
	        " joka jotka jonka jossa josta johon jota mikä mitä mitkä minkä missä mistä mihin"
	        " milloin kuka ketä kenen kuinka miten miksi montako paljonko että jos kun koska kuin"
	        " niin myös vain vielä jo sekä eli kanssa ilman ennen jälkeen yli alla voi voivat"
	        " voidaan pitää sen sitä siitä siinä siihen niitä niiden tämän tätä tässä ",
	[KB_LANG_HU] =
	        " a az egy és vagy de nem ne is van vannak volt voltak lesz lenne lett hogy ha mert"
	        " mint csak már még meg el ki be fel le én te ő mi ti ők ez az ezek azok ezt azt ennek"
	        " annak ebben abban erre arra ami amely amelyek aki akik ahol amikor mi mit ki kit"
	        " kinek mikor hol hová honnan miért hogyan hány mennyi melyik milyen minek mivel"
	        " között alatt után előtt szerint által minden sok több nagyon volna lehet kell ",
	[KB_LANG_RO] =
	        " și sau dar nu ci iar un o unei unui unor cel cea cei cele al a ai ale lui lor de din"
	        " în la pe cu fără pentru prin despre între după înainte sub peste spre până către"
	        " este sunt e era erau fost fi fiind a fost au are am ai avea avut avea va vor ar aș"
	        " poate pot trebuie eu tu el ea noi voi ei ele îl îi le se s și mă te ne vă mi ți își"
	        " meu mea său sa săi sale nostru acest această acești aceste acel acea acei acele"
	        " acesta aceasta aceștia acestea ce cine cui care pe cărui cărei căror când unde cum"
	        " cât câtă câți câte de ce dacă că să ca mai foarte tot toți toate alt alte altă doar"
	        " decât ori într dintre printr dintr asupra ",
	[KB_LANG_TR] =
	        " ve veya ya da de ki ile için gibi kadar göre sonra önce daha en çok az bir bu şu o"
	        " bunlar şunlar onlar bunu şunu onu bunun onun buna ona bunda onda bundan ondan ben"
	        " sen biz siz beni seni bizi sizi benim senin bizim sizin değil var yok mı mi mu mü"
	        " mıdır midir mudur müdür mıydı miydi ne neyi neye neyin nedir neden niçin niye nasıl"
	        " nerede nereden nereye neresi nerde nere kim kimi kime kimin kimdir kimler hangi"
	        " hangisi hangileri kaç kaçıncı kaçta ama fakat ancak çünkü eğer her hiç hem diye olan"
	        " olarak oldu olduğu olduğunu olur oluyor olmuştur idi ise iken tarafından üzerinde"
	        " arasında zaman ne zamandır kaçtır neydi kimdi nelerdir neler ",
	[KB_LANG_RU] =
	        " и или но а не ни да нет в во на с со к ко у о об от ото до из изо за по под над при"
	        " про через для без между перед после во время около среди против как так же бы ли"
	        " что чего чему чем чём кто кого кому кем ком который которая которое которые которого"
	        " которой которых которому которым которую котором какой какая какое какие какого"
	        " каком какому каким каких какими какую каков какова каковы чей чья чьё чьи когда где"
	        " куда откуда почему зачем сколько скольких скольким насколько это этот эта эти этого"
	        " этой этом этих тот та то те того той том тех я ты он она оно мы вы они меня тебя его"
	        " её ее нас вас их мне тебе ему ей нам вам им него неё нее них нему ней ним ними свой"
	        " своя своё свои своего своей своих мой твой наш ваш был была было были быть есть будет"
	        " является являются если чтобы потому также только уже ещё еще все всё всех весь вся"
	        " можно может могут ",
	[KB_LANG_UK] =
	        " і й та або але а не ні так у в на з із зі до від за по під над при про через для без"
	        " між перед після як же би чи що чого чому чим хто кого кому ким який яка яке які якого"
	        " якої яких якому яким яку якою коли де куди звідки навіщо скільки це цей ця ці цього"
	        " цієї цих той та те ті того тієї тих я ти він вона воно ми ви вони мене тебе його її"
	        " нас вас їх мені тобі йому їй нам вам їм свій своя своє свої мій твій наш ваш був була"
	        " було були бути є буде якщо щоб тому також тільки вже ще всі все весь може можуть ",
	[KB_LANG_PL] =
	        " i lub albo ale a nie ani w we na z ze do od ode za po pod nad przy przez dla bez"
	        " między przed o u jak tak że czy co czego czemu czym kto kogo komu kim który która"
	        " które którzy którego której których któremu którym którą jaki jaka jakie jakiego"
	        " jakiej jakich jakim jaką kiedy gdzie dokąd skąd dlaczego czemu ile ilu to ten ta te"
	        " ci tego tej tych tym tą tę tamten ja ty on ona ono my wy oni one mnie ciebie jego"
	        " jej nas was ich mi ci mu nam wam im się swój swoja swoje mój twój nasz wasz był była"
	        " było były być jest są będzie jeśli żeby aby więc także tylko już jeszcze wszystkie"
	        " wszystko może mogą oraz ",
	[KB_LANG_CS] =
	        " a i nebo ale ne ani v ve na s se z ze do od za po pod nad při přes pro bez mezi před"
	        " o u k ke jak tak že zda li co čeho čemu čím kdo koho komu kým který která které"
	        " kteří kterého kterou kterých jaký jaká jaké jakého jakou jakých kdy kde kam odkud"
	        " proč kolik to ten ta ty ti toho té těch tím tu tento tato toto tyto já ty on ona ono"
	        " my vy oni mne mě tebe tě jeho její nás vás jejich mi mu nám vám jim svůj svá své můj"
	        " tvůj náš váš byl byla bylo byly být je jsou bude pokud aby proto také jen už ještě"
	        " všechny všechno může mohou si ",
	[KB_LANG_EL] =
	        " ο η το οι τα του της των τον την τους τις ένας μία μια ένα ενός μιας και ή αλλά δεν"
	        " δε μη μην όχι είναι ήταν είμαι είσαι είχε είχαν έχει έχουν έχω θα να ας σε στο στη"
	        " στην στον στα στους στις από με για κατά μετά πριν προς χωρίς μεταξύ υπό επί ως εγώ"
	        " εσύ αυτός αυτή αυτό αυτοί αυτές αυτά αυτού αυτών εμείς εσείς μου σου μας σας εκείνος"
	        " εκείνη εκείνο που πού πώς πως πότε ποιος ποιός ποια ποιά ποιο ποιό ποιοι ποιοί ποιες"
	        " ποιές ποιων ποιον ποιόν ποιαν ποιου ποιού ποιας ποιάς ποιους τι τί πόσο πόσα πόσοι"
	        " πόσες πόσος πόση πόσων γιατί όταν όπου όπως ότι αν εάν επειδή επίσης μόνο πολύ πιο"
	        " περισσότερο όλα όλοι όλες κάθε άλλο άλλα οποίο οποία οποίος οποίοι οποίες οποίου"
	        " οποίων τίνος γίνεται έγινε μπορεί ",
	[KB_LANG_AR] =
	        " من في على إلى الى عن مع هذا هذه ذلك تلك هؤلاء الذي التي الذين اللذان اللتان ما ماذا"
	        " متى أين اين كيف لماذا كم أي اي أية اية هل من هو هي هم هن نحن أنا انا أنت انت أن ان إن"
	        " أو او و ثم لكن بل لا لم لن ليس ليست كان كانت كانوا يكون تكون قد كل بعض غير بين بعد"
	        " قبل عند عندما حيث حتى إذا اذا كما لأن منذ خلال تحت فوق ضد حول دون له لها لهم به بها"
	        " بهم فيه فيها عليه عليها منه منها إليه إليها عنه عنها معه معها مما بما فيما ومن وفي"
	        " وعلى وما بماذا لمن بمن ممن فيم عما عدد تم يتم أيضا هناك هنا التى الى سوى ",
	[KB_LANG_FA] =
	        " و یا اما ولی نه از به در با بر برای تا را که این آن اینها آنها است هست بود بودند"
	        " باشد شد شده می نمی هم همه هر چه چی کی کجا چرا چگونه چطور چند چقدر کدام آیا من تو او"
	        " ما شما ایشان خود یک دو پس اگر چون زیرا پیش بعد بین روی زیر بدون دارد دارند داشت کرد"
	        " کرده کند کنند های ها ای ترین تر نیز دیگر چیست کیست ",
	[KB_LANG_HE] =
	        " של את על אל עם מן מה מי מתי איפה היכן לאן מאין למה מדוע איך כיצד כמה איזה איזו אילו"
	        " האם הוא היא הם הן אני אתה את אנחנו אתם זה זאת זו אלה אלו לא אין יש היה היתה הייתה היו"
	        " להיות יהיה או אבל גם רק כי אם כאשר כש אשר ש כל עוד מאוד יותר בין לפני אחרי תחת ללא"
	        " עד לו לה להם לי לך בו בה בהם שלו שלה שלהם ידי ",
	[KB_LANG_HI] =
	        " का के की को ने से में पर और या लेकिन नहीं न है हैं था थे थी थीं हो होता होती होते हुआ"
	        " हुई हुए गया गई गए जा जाता जाती जाते रहा रही रहे कर करना करता करती करते किया किए की"
	        " यह ये वह वे इस इन उस उन इसे उसे इसके उसके इसकी उसकी इसका उसका जो जिस जिन जिसे जिसके"
	        " मैं तुम आप हम मेरा मेरी मेरे अपना अपनी अपने क्या कौन कौनसा किस किसे किसने किसका किसकी"
	        " किसके किन कब कहाँ कहां क्यों कैसे कैसा कैसी कितना कितनी कितने कौन सा सी से सके सकता"
	        " सकती सकते तक साथ लिए द्वारा बाद पहले भी ही तो कि अगर यदि एक कुछ सब सभी बहुत अधिक वाला"
	        " वाली वाले दिया दी दिए लिया तथा एवं बीच किसी जब तब वहाँ यहाँ ",
	[KB_LANG_NE] =
	        " को का की ले मा बाट र वा तर छ छन् थियो थिए हो हुन् यो त्यो यी ती के कुन को कहाँ कहिले किन"
	        " कसरी कति कसले कसलाई म तिमी तपाईं हामी उनी उहाँ पनि मात्र भने भएको गरेको गर्ने हुने लागि"
	        " सँग एक धेरै सबै भन्दा पछि अघि ",
	/* Words are written in syllables, and what is a function word alone is in others a part:
	 * only those are listed that hardly are. */
	[KB_LANG_VI] =
	        " và hoặc nhưng không là được bị của cho với từ ở bởi vì nếu thì mà để khi này đó các những"
	        " một mỗi mọi gì nào đâu sao thế bao nhiêu mấy đã đang sẽ vẫn cũng rất rằng hãy à ư nhỉ ai"
	        " tôi chúng họ nó ",
	[KB_LANG_ID] =
	        " dan atau tetapi tapi tidak bukan adalah ialah yang di ke dari pada dalam untuk dengan"
	        " oleh sebagai tentang antara sejak hingga sampai karena jika kalau bila agar supaya ini"
	        " itu tersebut saya aku kamu anda dia ia kami kita mereka nya apa apakah siapa siapakah"
	        " kapan kapankah dimana mana manakah mengapa kenapa bagaimana bagaimanakah berapa"
	        " berapakah ada telah sudah akan sedang masih juga hanya sangat lebih paling semua"
	        " setiap para bagi serta maka saat ketika setelah sebelum dapat bisa harus yaitu ",
	[KB_LANG_TH] =
	        " ที่ ซึ่ง อัน และ หรือ แต่ ไม่ ไม่ใช่ คือ เป็น อยู่ มี ได้ ถูก ให้ ของ ใน บน ใต้ จาก ถึง กับ แก่ แด่ ต่อ"
	        " โดย ด้วย เพื่อ เพราะ ว่า ถ้า หาก เมื่อ ขณะ นี้ นั้น โน้น นี่ นั่น เหล่านี้ เหล่านั้น ผม ฉัน คุณ เขา เธอ มัน"
	        " เรา พวก พวกเขา ใคร อะไร ไหน ใด เมื่อไร เมื่อไหร่ เมื่อใด ที่ไหน ที่ใด ทำไม อย่างไร ยังไง เท่าไร เท่าไหร่"
	        " เท่าใด กี่ บ้าง หรือไม่ ไหม มั้ย ครับ ค่ะ คะ จะ แล้ว กำลัง เคย ยัง ก็ จึง ต้อง ควร อาจ สามารถ ทุก แต่ละ"
	        " มาก กว่า ที่สุด ทั้ง ระหว่าง ก่อน หลัง ตั้งแต่ จน การ ความ อย่าง ไป มา ขึ้น ลง เข้า ออก ไว้ กัน แห่ง เพียง"
	        " ชื่อว่า ทำให้ ซึ่งกันและกัน นั่นคือ ตาม เพื่อที่ ช่วง ไร ",
	[KB_LANG_LO] = " ທີ່ ແລະ ຫຼື ແຕ່ ບໍ່ ແມ່ນ ເປັນ ມີ ໄດ້ ຂອງ ໃນ ຈາກ ກັບ ໂດຍ ນີ້ ນັ້ນ ໃຜ ຫຍັງ ໃສ ເມື່ອໃດ ຍ້ອນຫຍັງ ແນວໃດ ເທົ່າໃດ ຈັກ ຈະ ແລ້ວ ",
	[KB_LANG_KM] = " និង ឬ ប៉ុន្តែ មិន គឺ ជា មាន បាន របស់ នៅ ក្នុង ពី ជាមួយ ដោយ នេះ នោះ អ្នកណា អ្វី ណា ពេលណា ហេតុអ្វី យ៉ាងណា ប៉ុន្មាន នឹង ហើយ ",
	[KB_LANG_MY] = " နှင့် သို့မဟုတ် မ သည် တွင် မှ က ကို ၏ များ ဤ ထို ဘယ် ဘာ ဘယ်သူ ဘယ်မှာ ဘယ်တော့ ဘာကြောင့် ဘယ်လို ",
	[KB_LANG_ZH] =
	        " 什么时候 什麼時候 什么时间 什么地方 什麼地方 什么样的 什麼樣的 什么样 为什么 為什麼 為甚麼"
	        " 什么 什麼 甚麼 哪一年 哪一个 哪一個 哪一位 哪一种 哪一種 哪一 哪些 哪里 哪裡 哪裏 哪儿 哪年 哪个"
	        " 哪個 哪几 哪幾 哪位 哪种 哪種 哪国 哪國 哪 谁 誰 何时 何時 何处 何處 何地 何种 何種 何人 何年 为何"
	        " 為何 何谓 何 如何 怎么样 怎么 怎麼 怎样 怎樣 多少年 多少个 多少個 多少人 多少 多久 多大 多长 多長"
	        " 多高 多远 多遠 几个 幾個 几年 幾年 几 幾 是否 能否 有没有 有沒有 请问 請問 吗 嗎 呢 吧 了 的 地 得"
	        " 和 与 與 及 或 在 是 于 於 由 被 把 对 對 从 從 其 之 这 這 那 也 都 就 而 而且 但 但是 因为 因為"
	        " 所以 指的是 叫做 称为 稱為 ",
	[KB_LANG_JA] =
	        " でしょうか ますか ましたか ですか いつ頃 いつごろ いつ どこ どちら どの どれ どんな どのような"
	        " どのように どう どうして なぜ なに なん 何故 何年 何月 何日 何時 何人 何歳 何回 何個 何処 何 誰 だれ"
	        " いくつ いくら どのくらい どれくらい どれほど とは という といった といい と言う でした です ます"
	        " ました である であった だった した して する される された している していた された れた ている ていた"
	        " た の は が を に へ と で も や か から まで より など だ な ね よ この その あの これ それ あれ ここ"
	        " そこ ある いる なる なった あります か ",
	[KB_LANG_KO] =
	        " 무엇입니까 무엇인가 무엇 무슨 누구 누가 언제 어디 어느 어떤 어떻게 얼마나 얼마 입니까 인가요"
	        " 인가 습니까 는가 에서 으로 까지 부터 하는 했던 하였던 했는가 되는 왜 몇 뭐 ",
	[KB_LANG_CA] =
	        " el la els les l un una uns unes de del dels d i o però no ni és són era eren fou van va"
	        " ser estat està estan ha han havia hi ho jo tu ell ella nosaltres vosaltres ells elles"
	        " em et es ens us li meu seu seva seus seves aquest aquesta aquests aquestes aquell en a"
	        " al als amb sense per sobre entre des fins cap contra que què qui quin quina quins"
	        " quines quan on com quant quanta quants quantes perquè si més menys molt també ja tot"
	        " tots totes altre ",
	[KB_LANG_LT] =
	        " ir ar arba bet o ne nėra yra buvo būti bus kad jei kai kaip nes į iš su be prie per po"
	        " už nuo iki apie tarp prieš dėl aš tu jis ji mes jūs jie jos mano tavo savo jo jų šis ši"
	        " tas ta šie tie kas ko kam kuo kuris kuri kurie kurios koks kokia kokie kada kur kodėl"
	        " kiek tik dar jau taip pat labai visi ",
	[KB_LANG_HY] =
	        " և ու կամ բայց չէ է են էր էին լինել որ որը որոնք եթե երբ ինչ ինչպես ինչու ով ում որտեղ"
	        " որքան քանի ես դու նա մենք դուք նրանք իմ քո նրա մեր ձեր նրանց այս այդ այն մեջ վրա համար"
	        " հետ մասին ից մինչև ",
	[KB_LANG_EU] =
	        " eta edo baina ez da dira zen ziren izan du dute zuen zuten bat hau hori hura hauek"
	        " horiek haiek ni zu hura gu zuek nire zure bere gure zer nor noiz non nora nondik zergatik"
	        " nola zenbat zein zeinek ere baino oso dago daude ",
	[KB_LANG_GA] =
	        " agus nó ach ní níl is tá bhí beidh an na le ar i in ó do de faoi roimh tar éis mé tú sé"
	        " sí muid sibh siad mo do a ár seo sin cad céard cé cathain cá conas cén fáth mhéad nach"
	        " go gur má freisin ",
	[KB_LANG_SR] =
	        " и или али не ни у на с са к од до из за по под над при кроз без између пре после о као"
	        " да ли што шта ко кога коме који која које којих ког када где куда одакле зашто како"
	        " колико то тај та те ти ово овај ова ја ти он она ми ви они је су био била било били бити"
	        " ће i ili ali u na s sa od do iz za po pod nad pri kroz bez između pre posle o kao da li"
	        " što šta ko koga kome koji koja koje kojih kada gde zašto kako koliko to taj ovo ovaj ja"
	        " ti on ona mi vi oni je su bio bila bilo bili biti će se ",
	[KB_LANG_TA] =
	        " மற்றும் அல்லது ஆனால் இல்லை உள்ளது என்ற என்று ஒரு இந்த அந்த இது அது யார் என்ன எப்போது எங்கே"
	        " எங்கு ஏன் எப்படி எவ்வளவு எத்தனை எந்த நான் நீ அவர் அவன் அவள் நாம் நாங்கள் அவர்கள் ",
	[KB_LANG_YI] = " און אדער אבער נישט איז זענען געווען האט האבן דער די דאס א אן אין אויף פון מיט צו וואס ווער ווען וואו פארוואס ווי וויפל ",
};
// clang-format on

struct kb_sv kb_stopword_list(enum kb_lang lang)
{
	return kb_sv_str(functions[lang]);
}

uint8_t kb_stopword_flags(enum kb_lang lang, struct kb_sv word)
{
	struct kb_sv list = kb_stopword_list(lang);
	int flags = 0;

	if (kb_sv_in_list(list, word))
		flags |= KB_TERM_FUNCTION;
	if (lang == KB_LANG_EN && kb_sv_in_list(kb_sv(stops_en, sizeof(stops_en) - 1), word))
		flags |= KB_TERM_STOP;
	return (uint8_t)flags;
}

/* Words in buckets by the bytes of their first character, the longest first in each. */
struct kb_stopword_cuts {
	struct kb_sv *words;
	uint16_t first[CUT_BUCKETS + 1];
};

static unsigned bucket(struct kb_sv text)
{
	const unsigned char *p = (const unsigned char *)text.p;

	return (p[0] * 7u + p[1] * 61u + p[2]) % CUT_BUCKETS;
}

static int by_bucket(const void *a, const void *b)
{
	const struct kb_sv *x = a, *y = b;
	unsigned bx = bucket(*x), by = bucket(*y);

	if (bx != by)
		return bx < by ? -1 : 1;
	return x->n == y->n ? 0 : x->n > y->n ? -1 : 1;
}

struct kb_stopword_cuts *kb_stopword_cuts_new(enum kb_lang lang)
{
	struct kb_sv rest = kb_stopword_list(lang), word;
	struct kb_stopword_cuts *cuts;
	size_t count = 0, capacity = 0;

	if (lang != KB_LANG_ZH && lang != KB_LANG_JA && lang != KB_LANG_KO)
		return NULL;
	cuts = kb_xcalloc(1, sizeof(*cuts));
	while (kb_sv_split(&rest, ' ', &word)) {
		if (word.n < 3)
			continue; /* the blank at either end */
		KB_GROW(cuts->words, capacity, count + 1);
		cuts->words[count++] = word;
	}
	qsort(cuts->words, count, sizeof(*cuts->words), by_bucket);
	for (size_t i = 0, b = 0; b <= CUT_BUCKETS; b++) {
		while (i < count && bucket(cuts->words[i]) < b)
			i++;
		cuts->first[b] = (uint16_t)i;
	}
	return cuts;
}

void kb_stopword_cuts_free(struct kb_stopword_cuts *cuts)
{
	if (!cuts)
		return;
	free(cuts->words);
	free(cuts);
}

size_t kb_stopword_at(const struct kb_stopword_cuts *cuts, struct kb_sv text)
{
	unsigned b;

	if (!cuts || text.n < 3)
		return 0;
	b = bucket(text);
	for (size_t i = cuts->first[b]; i < cuts->first[b + 1]; i++)
		if (kb_sv_starts(text, cuts->words[i]))
			return cuts->words[i].n;
	return 0;
}
