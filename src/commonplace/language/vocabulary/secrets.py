"""Words that announce a password, a PIN or a code, and words that only talk about one.

Nouns are regular expressions in lower case, because spellings vary; the others are plain words.
"""

# ruff: noqa: E501 - a pattern cannot be broken

from __future__ import annotations

import re


def _either(listed: str) -> str:
    """One alternation of what two spaces or a line divide, longer ones first."""
    parts = {part.strip() for part in re.split(r"  +|\n", listed)} - {""}
    return "|".join(sorted(parts, key=lambda part: (-len(part), part)))


PASSWORD_NOUNS = _either(r"""
    p[as]{2,4}w[a-zö]{1,5}  p[a4@][s5$]{2}[ -]?w[o0]r[dt]
    p[ -.]a[ -.]s[ -.]s[ -.]w[ -.]o[ -.]r[ -.]d  p\*{1,8}w?o?rd  contra(?:se|ce|çe|ze)[a-zñ]{1,4}
    wa[ch]{1,2}t?w[a-z]{3,5}  mots? de? pass?e?  motdepasse
    (?:wi-?fi|wlan|facebook|netflix|gmail|amazon|login|log-in|computer|laptop|email|router|admin) pass
    (?:the|my|our|his|her) pass  community strings?
    (?:the|my|our|his|her) (?:admin|root|sudo|user|staging|prod|test|guest|old|new|current|actual|db|database|ssh|vpn|ftp|web) pass  login word  magic word  pass[ -]?words?  pas?s?s?wor?ds?
    pass?w(?:rd|rod|od|d)  passw?o[rw]d  pass[ -]?phrases?  pass[ -]?codes?  p[/.]?w\.?  pwd
    pswd  psw  psk  pre-?shared (?:key|secret)  ww(?=(?: is)?[: ]{1,2}\S{0,30}\w[\d.!#$&*_+-])
    (?:secret|memorable|magic|safe|unlock|login|challenge|callback|release|verification) word
    code[ -]?(?:word|name)(?= (?:is|to|for)|:| ['\"“‘])  (?:sign-?in|log-?in|unlock|wallet|vault|callback|signing|master) (?:phrase|sentence)
    (?:chiave|chiavi) (?:d['’]|di )accesso  chaves? de acesso(?! da nf)  clés? d['’]accès
    inlogcode  inlogwoord  linkage key  kodeord(?:et)?  kodord(?:et)?  (?:log-?in|sign-?in) secret  credentials?
    creds?  kenn?w[oö]rt(?:er)?  passw[oö]rt(?:er)?  passwrot  zugangswort  codewort
    zugangsdaten  logindaten  anmeldedaten  mots? de passe  mdp  phrase secrète
    (?:code|cl[ée]|chiave|codice|c[oó]digo|clave|schlüssel|key) (?:du |de la |de |del |della |fürs |vom |for the |of the )?(?:wi-?fi|wlan)
    frases? de (?:paso|acceso|contraseña)  frase (?:d['’]accesso|segreta|di accesso|secreta)  phrase de passe  (?:passwort|kenn|losungs)-?(?:satz|phrase|spruch)  wachtzin  zugangswort
    (?:luks|disk|boot|backup|keepass|pgp|gpg|ssh|veracrypt|encryption|decryption) phrase
    word(?= (?:that )?(?:opens|unlocks|for the (?:laptop|wifi|tablet|safe|vault|nas)))
    contrase(?:ñ|n|ni)as?  palabra (?:clave|secreta|de paso)
    parola (?:d['’]accesso|d['’]ordine|chiave|segreta)  palavra[- ](?:passe|chave)  senhas?
    wachtwoord(?:en)?  wachtzin  has[łl][oa]  lösenord(?:et)?  passord(?:et)?  adgangskode[nr]?
    salasana  heslo  jelsz[óo]  şifre(?:si)?  parola(?:sı)?  парол[ьяюе]м?  كلمة (?:المرور|السر)
    पासवर्ड  סיסמה
    """)
"""Nouns whose value may be any word."""

PIN_NOUNS = _either(r"""
    pins?  pin[- ]?(?:codes?|number|nummer)
    (?:sim|card|debit|credit|atm|bank|banking|phone|screen|unlock|scratch)[ -]pin
    [a-z]{1,20}-pin
    (?:telephone banking|phone banking|customer|security|access|memorable) (?:number|no\.?)
    puk2?  puk[- ]?code  tans?  (?:otp|2fa|mfa|totp)(?:[ -]code)?  cvv2?  cvc2?  geheimzahl
    geheimnummer  telefon-?(?:pin|geheimzahl)  entsperr(?:code|pin)
    kenn(?:code|zahl)  (?:einwahl|meeting|zugangs|raum|teilnehmer)-?(?:code|kennzahl)
    (?:meeting|zoom|webinar|room|conference|call) (?:pass ?code|id code)
    code (?:pin|puk|secret|confidentiel)  cryptogramme  clave (?:secreta|de acceso)
    (?:zoom|webex|teams|meeting) host key  host key(?=(?: is)?:? \d{6}(?!\d))  n[uú]mero secreto  codice (?:pin|puk|segreto)
    c[oó]digo (?:pin|puk|secreto|de segurança|de seguridad)  pincode  kod pin  pin-?kod
    пин(?:-?код)?
    """)
"""Nouns whose value is a number, or a short word with a digit."""

CODE_NOUNS = _either(r"""
    (?:the|my|our|your|her|his|their|new|same|right|old|entry|digit|pin|mum's|dad's|sms|otp|one-time) code
    (?:der|den|dein|mein|unser|neue[rn]?|sms-?|tür-?) ?code
    (?:le|mon|notre|votre|nouveau|ton) code
    (?:el|mi|tu|su|nuestro|nuevo|o|meu|seu|novo) c[oó]digo  (?:il|mio|tuo|nostro|nuovo) codice
    (?:de|mijn|onze|nieuwe|je|jouw) code  (?:twój|mój|nowy|ten) kod
    (?:door|gate|garage|alarm|entry|entrance|buzzer|access|lock|locker|keypad|safe|vault|building|entrance|shed|lobby|cabin|house|office|key ?safe|lock ?box|key ?box|unlock|disarm|security|parking|barrier|lift|elevator|gym|pool|room|bike shed|voicemail|intercom|burglar|panel|override|admin|confirmation|verification|validation|authori[sz]ation|authenticat(?:ion|or)|one[- ]time|single[- ]use|backup|back-up|recovery|rescue|emergency|reset|login|log-in|sign[- ]in|activation|redeem|gift card|voucher|scratch|sms|text|secret|cage|rack|colo|server room)[ -]codes?
    (?:licen[cs]e|activation|recovery|emergency|wallet)[ -](?:key|code)s?  (?:product|serial)[ -]keys?
    code (?:for|to|of|on|at) (?:the |our |my |his |her |their |mum'?s |dad'?s )?[\w' -]{0,25}?(?:door|gate|garage|alarm|safe|lock|padlock|locker|keypad|shed|building|house|flat|cabin|office|lobby|box|gym|pool|lift|bike|suitcase|phone|tablet|voicemail|entrance|barrier|car ?park|cottage|holiday home|storage|cellar|basement|cage|rack)
    (?:tür|haustür|tor|garagen|alarm|zugangs|zutritts|schloss|tresor|safe|schlüsselbox|schlüsselkasten|keller|büro|schranken|entsperr|sperr|freischalt|bestätigungs|sicherheits|wiederherstellungs|backup|notfall|einmal|aktivierungs|sicherungs|gutschein|geräte)-?codes?
    (?:sicherheits|bestätigungs|freischalt|wiederherstellungs)(?:schlüssel|nummer)
    code (?:vom|von|für|am|zum|zur|an|beim|des) (?:(?:der|dem|den|das|die) )?[\w-]{0,20}(?:tür|tor|garage|alarmanlage|tresor|safe|schloss|handy|telefon|tablet|ipad|spind|schrank|keller|schuppen|koffer|kasten|box|schranke|karte|eingang|aufzug)
    zahlenkombination  (?:tasten|zahlen|ziffern)folge  zahlencode  zahlenschloss  lizenzschlüssel  produktschlüssel
    code (?:de la |de l['’]|du |des |de |d['’])(?:ma |mon |notre )?(?:porte|portail|portillon|garage|alarme|immeuble|entrée|coffre|carte|cadenas|boîte|casier|cave|bureau|maison|hall|téléphone|résidence|validation|sécurité|confirmation|secours|récupération|accès|activation|déverrouillage|vérification|parking|local|barrière|interphone|interrupteur)\w{0,20}
    codes? de (?:secours|récupération)  digicode
    codes? (?:sms|otp|reçu)?\s?(?:de la |de ma |du |de l['’])(?:banque|appli|site|colis)
    c[oó]digos? (?:del |de la |de mi )(?:sms|m[oó]vil|app|cajero|correo)  codice (?:della |del |dell['’])(?:banca|sms|app|corriere|bancomat)
    c[oó]digos? (?:de la |de los |del |de |da |do |das |dos |para (?:a |o |la |el )?)(?:mi |meu |minha )?(?:puerta|portal|portero|garaje|alarma|caja|tarjeta|candado|casa|edificio|entrada|acceso|acesso|verificaci[oó]n|verificação|seguridad|segurança|recuperaci[oó]n|recuperação|respaldo|desbloqueo|desbloqueio|activaci[oó]n|ativação|portão|porta|garagem|alarme|cofre|cadeado|prédio|condomínio|llaves|trastero|oficina|banco|móvil|emergencia|backup)\w{0,20}
    clave (?:de la |del |de )?(?:alarma|puerta|portal|garaje|caja fuerte|candado|tarjeta)
    codic[ei] (?:della |dello |dell['’]|del |dei |di |per (?:la |il )?)(?:porta|portone|cancello|allarme|cassaforte|lucchetto|garage|carta|accesso|sblocco|verifica|sicurezza|recupero|backup|conferma|attivazione|bancomat|cassetta|citofono|casa|palazzo)\w{0,20}
    (?:deur|poort|alarm|kluis|slot|toegangs|garage|hek|schuur|kassa|verificatie|herstel|beveiligings|bevestigings|ontgrendel|sleutelkast)-?codes?
    code (?:van|voor) (?:de |het |mijn |ons |onze )?[\w -]{0,20}?(?:deur|poort|alarm|kluis|slot|garage|hek|schuur|kantoor|fiets|box|kluisje|sleutelkastje|pas|kopieermachine|telefoon)
    kod(?:y|u)? (?:do |od |z )?(?:bramy|bramki|domofonu|drzwi|alarmu|sejfu|furtki|garażu|klatki|kłódki|windy|wejścia|budynku|telefonu|dostępu|sms|weryfikacyjny|zapasow\w{1,20}|odzyskiwania|jednorazowy|domku|skrytki|szafki)
    (?:gun |wall |bike |safe |lock |padlock |locker |suitcase |vault )+(?:combination|combo)
    (?:bitlocker|filevault|recovery|luks) (?:recovery )?key  (?:the|my|our) combo
    (?:combination|combo) (?:for|to|of|on) (?:the |my |our |his |her )?[\w' ]{0,20}?(?:safe|lock|padlock|locker|vault|suitcase|box|bike)
    combinaison (?:du |de la |de l['’]|de )?(?:coffre|cadenas|casier|valise)\w{0,20}
    combinaci[oó]n (?:de la |del |de )(?:caja|candado|maleta|taquilla)\w{0,20}
    combinazione (?:della |del |dell['’])(?:cassaforte|lucchetto|valigia|armadietto)
    (?:combinação|segredo) (?:do |da )(?:cofre|cadeado|mala)
    kombination (?:vom |des |der |für den |für das |für die |am )?(?:tresor|safe|schloss|fahrradschloss|koffer|spind)\w{0,20}
    combination(?=,? (?:is |now |still )?(?:[a-z]?\d))
    (?:abteilungs|kopier|kopierer|drucker|kassen|bediener)-?codes?  (?:photo)?(?:copier|copy|printer|till|department copier) codes?
    code (?:de la |du )(?:photocopieuse|copieur|imprimante|caisse)  c[óo]digo de la (?:fotocopiadora|impresora|caja)  codice della (?:fotocopiatrice|stampante|cassa)
    szyfr (?:do |od )?(?:sejfu|kłódki|walizki)
    код (?:от |для )?(?:двери|домофона|сейфа|сигнализации|подъезда|ворот|доступа|подтверждения)
    """)
"""Nouns whose value is a number or a group of letters and digits."""

EASTERN_PASSWORDS = _either(r"""
    密码  密碼  口令  パスワード  合言葉  暗号化キー  비밀번호  패스워드
    """)
EASTERN_CODES = _either(r"""
    (?:门禁|门锁|大门|楼下|单元门|保险柜|保险箱|行李箱|开门|报警器?|警报|车库|快递柜|储物柜|手机|锁屏|支付|取款|银行卡)(?:的)?(?:密码|码|代码|号码)
    (?:验证码|驗證碼|动态码|校验码|恢复码|备用码|激活码|兑换码)
    (?:玄関|オートロック|金庫|ロッカー|ゲート|ガレージ|駐輪場|キーボックス|警報|アラーム|ポスト|スーツケース|自転車)[^。\n]{0,8}?(?:番号|コード|ダイヤル|暗号)
    (?:認証|確認|バックアップ|復旧|リカバリー?|解除|セキュリティ|ワンタイム)(?:コード|キー|番号)  暗証番号  핀번호  인증번호
    """)
"""The same in scripts that put no spaces between words."""

KEY_NOUNS = _either(r"""
    keys?  wpa[23]?(?:-psk| key)?  psk  network key  schlüssel  netzwerkschlüssel  clés?  clave
    chiave  chave  sleutel  klucz  nøkkel  nyckel  密钥  キー
    """)
"""Nouns that mean a password only beside a network or an account."""

NETWORK_WORDS = _either(r"""
    wi-?fi  wlan  wpa  ssid  router  hotspot  livebox  freebox  fritz!?box  repeater  netzwerk
    network  réseau  red  rete  rede  netwerk  sieć  internet  无线  wfi
    """)

LOCKED_THINGS = _either(r"""
    (?:front|back|side|main|entrance|cellar|garden) (?:door|gate)  dead ?bolt  locked  vault
    combo  combination lock  strongbox  intercom  buzzer  panic button  barrier
    front door  alarm\w{0,20}  alarme  l['’]allarme  allarme  gates?(?! [a-z]?\d{1,2}(?!\d))  garage  garagen\w{0,20}
    garaje  keypad  schlüsseltresor  wandtresor  möbeltresor  local (?:vélos?|poubelles?)  key ?(?:safe|box)  lock ?box  padlocks?  safe  locks?
    (?:front|back|side|office|house|cellar) door  door ?lock  lockers?  suitcase  tresor\w{0,12}
    schlüsselbox  schlüsselkasten  zahlenschloss  vorhängeschloss  fahrradschloss  schloss
    haustür  türschloss  portail  portillon  cadenas  coffre(?:-fort)?  boîte à clés?  digicode
    portal  portero  cajetín  candado  caja fuerte  cancello  cassaforte  lucchetto  cassetta
    portão  cadeado  cofre  kluis  slot  hangslot  sleutelkastje  poort  domofon\w{0,20}
    cash ?box  cage  hatch  roller shutter  turnstile  bollards?  letter ?box  deposit box
    store ?room  stock ?room  bike shed  disarm\w{0,5}  unlock(?:s|ed)?  siren  parental lock
    (?:sim|bank|debit|credit|fuel|cash) cards?  atm  cash ?point  cash machine  voicemail  tablet
    i(?:pad|phone)  spind\w{0,5}  schließfach\w{0,5}  schranke  tiefgarage  tankkarte  bankkarte
    elternsperre  wegfahrsperre  entsperrt  casier  serrure  interphone  carte (?:bancaire|bleue)
    antivol  désarm\w{1,4}  déverrouill\w{1,4}  taquilla  verja  trastero  cerradura  tarjeta
    desbloque\w{1,4}  armadietto  serratura  bancomat  sblocc\w{1,4}  cacifo  fechadura  slagboom
    fietsslot  kluisje  bankpas  szafk\w{1,4}  szlaban\w{0,3}  dörr\w{0,4}  skåp\w{0,4}  larm\w{0,4}
    dør\w{0,3}  skab\w{0,3}  (?:häng|hænge|henge)lås\w{0,3}  dveř\w{0,3}  zám(?:ek|k)\w{0,3}  trezor\w{0,3}
    двер\w{0,4}  зам(?:ок|к)\w{0,4}  сейф\w{0,3}  ворот\w{0,3}  домофон\w{0,3}  сигнализаци\w{0,3}
    ячейк\w{0,3}  хвіртк\w{0,3}  шлагбаум\w{0,3}  kapı\w{0,5}  kasa\w{0,4}  kilit\w{0,4}  금고  도어락  자물쇠  사물함
    (?:photo)?copiers?  kopierer  photocopieuse  fotocopiadora  fotocopiatrice  fotocopiadora
    teclado  clavier  tastenfeld  boîtier à code  cajetín\w{0,3}  portachiavi
    ロッカー  柜子?  (?:key |store |drugs? |supply |staff )?(?:cupboard|cabinet)  tastierino  telefonillo  caja de llaves
    caisse enregistreuse  laundry room  (?:till|supervisor|manager) override  till drawer  the tills?  barriers?  bike ?shed
    (?:front|back|side|staff|main) entrance  almacén  nøkkelboks\w{0,2}
    sejf\w{0,20}  kłódk\w{0,20}  furtk\w{0,20}  bram\w{0,20}  门禁  保险柜  保险箱  门锁  金庫  オートロック  玄関
    """)
"""Things that open with a code."""

LOGIN_WORDS = _either(r"""
    log(?:ged|ging|s)?[ -]?(?:in|on|into)  logins?  sign(?:ed|ing|s)?[ -]?(?:in|on|into)
    username  user(?: ?name)?  usr  account  e-?mail  e-?mail address  authenticat\w{1,20}
    unlock\w{0,20}  prompt\w{0,20}  benutzer\w{0,20}  nutzer\w{0,20}  anmeld\w{1,20}
    einlog\w{1,20}  konto  compte  cuenta  conto  conta  accès  acceso  identifiants?  utilisateur  connect\w{0,20}  usuario  usuário
    utilizador  utente  utenza  accesso  gebruiker\w{0,20}  inlog\w{0,20}  użytkownik\w{0,20}
    login\w{0,20}  logowan\w{1,20}  用户名  账号  账户  ユーザー名?  アカウント  ログイン  id
    """)

SECURITY_QUESTIONS = _either(r"""
    (?:security|secret) questions?  (?:security|secret) answers?
    answers? to (?:the |my |her |his |your )?['"“‘«][\w' -]{3,40}['"”’»] question
    (?:mother|mum|mom)['’]?s maiden name  memorable (?:word|name|place|date|answer)
    sicherheitsfragen?  geheime frage  mädchenname  questions? (?:secrètes?|de sécurité)
    preguntas? (?:secretas?|de seguridad)  respuesta secreta
    domand[ae] (?:segret[ae]|di sicurezza)  perguntas? (?:secretas?|de segurança)
    (?:geheime|beveiligings)-?vra(?:ag|gen)
    pytani[ea] (?:pomocnicze|bezpieczeństwa|zabezpieczające|kontrolne)  密保问题  安全问题  秘密の質問
    """)

SEED_WORDS = _either(r"""
    seed(?:[ -]?phrase|[ -]?words?)  mnemonic\w{0,20}  recovery (?:phrase|words?|seed)
    (?:secret|backup|recovery|restore|wallet) (?:recovery )?(?:key )?(?:phrase|words)
    (?:twelve|12|fifteen|15|eighteen|18|twenty-one|21|twenty[- ]?four|24)[ -]words?
    wallet\w{0,20}  ledger  trezor  metamask  bitcoin\w{0,20}  krypto\w{0,20}  crypto\w{0,20}
    ethereum  (?:zwölf|12|vierundzwanzig|24) wörter\w{0,20}
    wiederherstellungs(?:phrase|wörter|satz)  phrase de récupération
    (?:douze|12|vingt-quatre|24) mots  (?:frase|palabras) (?:semilla|de recuperación|secreta)
    (?:doce|12|veinticuatro|24) palabras  (?:frase (?:seme|di recupero)|parole seme)
    (?:dodici|12|ventiquattro|24) parole
    (?:parole|frase|chiave|frasi) (?:del |di |dei |per il |per )?(?:portafogli\w?|recupero|ripristino|seme|seed)  (?:palabras|frase) (?:de |del |de la |para la )(?:mi )?(?:cartera|monedero|recuperaci[oó]n|respaldo|semilla|billetera)\w*
    (?:mots|phrase) (?:de |du |pour le )(?:mon )?(?:portefeuille|r[ée]cup\w*|secours|sauvegarde|restauration)  phrase (?:mnémonique|secrète)
    (?:portafogli\w?|cartera|portefeuille|carteira|monedero|billetera|geldbörse) (?:hardware|cripto\w*|crypto\w*|digital\w*|bitcoin)
    (?:wiederherstellungs|merk|seed-?|wallet-?|start)wörter  (?:palavras|frase) (?:da |de )(?:carteira|recupera[çc][ãa]o|seguran[çc]a)
    (?:frase[- ](?:semente|de recuperação)|palavras-semente)
    (?:doze|12|vinte e quatro|24) palavras  herstel(?:zin|woorden)
    (?:twaalf|12|vierentwintig|24) woorden  (?:fraza|frazy) (?:odzyskiwania|seed)
    (?:dwanaście|12|24) słów  助记词  リカバリーフレーズ  シードフレーズ  复原词
    """)

IDENTITY_NAMES = _either(r"""
    ssn  social security(?: (?:number|no\.?|#))?  national insurance(?: (?:number|no\.?))?
    ni number  nhs no\.?  nino  social insurance(?: (?:number|no\.?))?
    tax (?:id|file number|identification number|number)  itin  nhs number
    (?:national )?id(?:entity)? card(?: (?:number|no\.?))?  identity (?:number|no\.?)
    passport(?: (?:number|no\.?|nr\.?|#))?
    driv(?:er['’]?s?|ing) licen[cs]e(?: (?:number|no\.?|nr\.?|#))?
    steuer-?(?:id|identifikationsnummer|nummer)  idnr\.?  (?:personal)?ausweis(?:nummer|nr\.?)?
    perso(?:nummer|-nr\.?)?  reisepass(?:nummer|nr\.?|-nr\.?)?  pass(?:nummer|nr\.|-nr\.?)
    sozialversicherungsnummer  rentenversicherungsnummer  sv-nummer  ahv(?:-nummer|-nr\.?)?
    führerschein(?:nummer|nr\.?)?  num[ée]ro de s[ée]cu(?:rit[ée] sociale)?
    n° de s[ée]cu(?:rit[ée] sociale)?  s[ée]curit[ée] sociale  carte d['’]identit[ée]
    num[ée]ro fiscal  (?:num[ée]ro de )?passeport  permis de conduire  dni  nif
    n[uú]mero de (?:la )?seguridad social  pasaporte  carn[eé] de identidad  codice fiscale
    carta d['’]identità  passaporto  cpf  cartão de cidadão  número de contribuinte  passaporte
    niss  bsn  burgerservicenummer  paspoort(?:nummer)?  rijbewijs(?:nummer)?  identiteitskaart
    pesel\w{0,20}  dow[oó]d(?:u)? osobist\w{1,20}  nr dowodu  paszport\w{0,20}  personnummer
    cpr(?:-nummer)?  fødselsnummer  henkilötunnus  aadhaar  pan (?:card|number)  curp
    身份证(?:号码?)?  护照(?:号码?)?  社保号  マイナンバー  個人番号  パスポート(?:番号)?  旅券番号  運転免許証?(?:番号)?  免許証番号  주민등록번호
    여권번호  инн  снилс  паспорт\w{0,20}
    """)
"""Names of numbers that a state gives a person."""

_ACCOUNTS_LIST = """
    login logins log-in signin sign-in signon logon account accounts acct password passwords
    passphrase passcode pw pwd pass cred creds credential credentials wifi wi-fi wlan hotspot router admin
    administrator root sudo vpn ssh rdp ftp sftp bios luks veracrypt keepass keepassxc reset email
    e-mail mailbox gmail hotmail icloud outlook portal username user enable online-banking konto
    passwort kennwort compte accès identifiant identifiants connexion cuenta acceso usuario
    contraseña sesión accesso utente conta acesso senha usuário utilizador wachtwoord hasło
    netflix spotify disney hulu paypal ebay etsy amazon dropbox instagram insta facebook tiktok
    snapchat steam playstation psn roblox zoom slack canva wix squarespace wordpress shopify
    mailchimp quickbooks xero github gitlab jenkins grafana jira confluence plex nextcloud trello
    notion digid spid doctolib pronote wallapop vinted airbnb uber deliveroo linkedin twitter
    discord twitch zip archive keystore encrypted mqtt broker psk
"""
ACCOUNTS = frozenset(_ACCOUNTS_LIST.split())
"""Things that one logs into, and words of logging in."""
ACCOUNT_STEMS = (
    "zugang", "anmeld", "einlog", "benutzer", "inlog", "gebruiker", "logowani", "unlock", "entsperr",
    "logged", "logging",
)  # fmt: skip
"""Beginnings of more of them."""

_DEVICES_LIST = """
    laptop computer macbook mac pc desktop tablet ipad phone handy kindle tv telly nas server
    serveur servidor printer scanner camera cctv doorbell switch firewall console panel gui
    website site app kiosk till terminal hypervisor box raspberry database db intranet cloud drive
    spreadsheet tabelle pdf stick backup staging prod production sandbox machine broadband internet
    bank banking subscription rechner drucker kamera ordinateur imprimante ordenador impresora
    banco computador impressora stampante sito apparaat membership payroll override recordings
    seat system backups tunnel cluster bucket
"""
DEVICES = frozenset(_DEVICES_LIST.split())
"""Things that ask for a password before they work."""

ENTRANCES = _either(r"""
    phone  i?pad  tablet  mobile  handy  téléphone  móvil  cellulare  telefon  laptop
    downstairs  upstairs  studio  cottage  storage  office  gate  get in  sign in  log in
    verif\w{0,20}  confirm\w{0,20}  doors?  entrance  building  house  flat  apartment  lift
    elevator  cabin  barn  shed  gym  pool  car ?park  parking  bike  key ?pad  airbnb  hallway  lobby
    tür  eingang  haus  keller  aufzug  schranke  porte  immeuble  bâtiment  résidence  entrée
    ascenseur  puerta  edificio  entrada  ascensor  porta  portone  ingresso  prédio  condomínio
    deur  ingang  drzwi  klatk\w{1,20}
    """)
"""Places that may have a keypad; only an order to type a number makes it a code."""

ENTRY_VERBS = _either(r"""
    (?:se )?(?:déverrouille|débloque|désactive)(?:r|nt)? (?:avec|en faisant|en tapant|par)  (?:se )?(?:desbloquea|desactiva|abre)n? (?:con|marcando|poniendo|metiendo)
    (?:si )?(?:sblocca|disattiva|toglie|apre)(?:no)? (?:con|facendo|premendo|digitando|mettendo)
    unlocks? (?:with|by)  (?:is )?unlocked (?:with|by)  entsperr\w{0,20} (?:sich )?mit
    (?:se )?desbloquea con  (?:se )?déverrouille avec  (?:si )?sblocca con  use
    (?:get|let yourself|lets you|gets you) in(?:to the \w{1,20})?(?: with|:| is|,? it['’]s)
    to (?:get in|open it|open the \w{1,20})(?: is| it['’]s|:)?
    (?:door|gate|garage|alarm|safe|padlock|lockbox|keybox|locker|lock|entrance|portail|digicode|alarme|haustür|tresor)[:,]?
    codes?  (?:then )?enter(?:s|ed|ing)?  type(?:s|d)?(?: in)?  key in  punch in  tap in
    press(?:es)?  dial(?: to)?  put in  opens? (?:with|at|on)  (?:shuts?|closes?|locks?|locked) with  entra con  entrer? avec  marcas  uses  turn(?: it| the \w{1,20})? to  keypad
    combination  combo  eingeben  gib  tippe?  drücke?  wähle
    (?:öffnet|geht auf|aufschließen|öffnen)(?: sich)? mit  tape[rz]?  compose[rz]?
    fai(?:re|s|tes)  (?:s['’]ouvre|ouvrir) avec  marca[r]?  teclea[r]?  pulsa[r]?
    introduc\w{1,20}  (?:se )?abre con  c[oó]digo  digita(?:re)?  premi  inserisci  si apre con
    codice  digite  aperte  abre com  toets  tik  (?:gaat )?open(?:t)? met  wpisz  wciśnij
    wybierz  otwiera(?: się)?  kod
    """)
"""Words that tell somebody to type what follows."""

SIDES = "(?:left|right|links|rechts)"

OTHER_CODES_BEFORE = (
    "error|exit|status|area|country|zip|post(?:al)?|source|discount|promo|http|response|return|key|character|colou?r|dress|morse|bar|qr|"
    "product|item|sort|swift|dialling|dialing|airline|airport|booking|reference|tax|currency|language|course|subject|class|op|byte|machine|"
    "legacy|building|fehler|farb|länder|quell|city|fault|reason|job|cost|sku|style|event|vendor|customer|region|iso|routing|result|paint|"
    r"trouble|diagnostic|stock|plu|department|project|expense|tariff|drawing|game|cheat|pantone|ral|colour of|postal|snomed|icd|icd-\d\d|read|loinc|clinical|diagnosis|billing|hs|commodity|nace|sic|naics|iata|icao|ean|upc|unspsc|hotel|rate|account|ledger|fund|"
    "order|inventory|serial|asset|ticket|tracking|batch|part|lot|article|purchase|po|case|queue|waybill|invoice|inventar|bestell|artikel|kunden|serien|auftrags|chargen|paket|sendungs|nace"
)
OTHER_CODES_AFTER = (
    "postale?|qr|review|base|of conduct|of practice|de la route|de conduite|fiscale?|civile?|pénal|penale?|(?:à |a |de )?barr(?:es|as|e)|promo\\w{0,20}|"
    "vestimentaire|couleur|pays|d['’]erreur|erreur|de error|d['’]errore|enforcement|freeze|coverage|path|paths|style|smell|point|points|page|"
    "pocztowy|kreskowy|źródłowy|de (?:la )?(?:reserva|asignatura|producto|pintura|descuento|réservation|commande)|da (?:encomenda|tinta|reserva|disciplina)|"
    "(?:d['’]|de |di |do )(?:inventa\\w{2,4}|s[eé]rie|seguimiento|suivi|pedido|lote|lotto|lot|ordine|commande|cliente?)(?!\\w)|inventario|articolo|artículo|artigo|client[ei]?(?!\\w)|seriale|commande|"
    "del (?:producto|pedido|artículo|color)|prenotazione|colore|sconto|prodotto|produit|article|de color|(?:ape|naf|insee|siret|iata|icao|swift|bic|ean|nuts|cpv|ateco)(?!\\w)|"
    "(?:of the |de l['’]|dell['’]|della |del |de la |de |du |des |der |do |da |van het )(?:article|articolo|artículo|artikel\\w{0,2}|artigo|produit|prodotto|producto|produkts?|produto|item|ordine|pedido|commande|modello|modelo|modèle|libro|livre|corso|curso|cours|proyecto|progetto|projet|projekts?|projeto|project|materia|client[ei]?|kunden|vuelo|vol|volo|employé|empleado|dipendente|negozio|tienda|magasin|país|paese|idioma|error|errore|tema|talla|vaga|turma|aluno|alumno|student|studente|élève|peça|pieza|pièce|pezzo|imóvel|inmueble|immobile|processo|proceso|oferta|offerta|offre|annonce|anuncio|annuncio|anúncio|vacancy|posting|ruta|ligne|linea|línea|linha|stazione|estación|estação|gare|patient|paziente|paciente|sample|campione|muestra|amostra|échantillon|species|especie|espèce|specie|matricule|bene|obra|œuvre|opera|part|pump|course|book|batch|shipment|parcel|invoice)"
)
"""Words that make a code one of a post office, a program or a shop."""

OTHER_THINGS = _either(r"""
    errors?  faults?  parcels?  claims?  exams?(?:ination)?  courses?  modules?  lessons?  units?
    productions?  bookings?  reservations?  ref(?:erence)?s?  orders?  invoices?  bills?  receipts?  slips?  tickets?
    seats?  rows?  flights?  boarding  platforms?  trains?  coach  (?:spare )?parts?  models?  serials?
    batch(?:es)?  lots?  samples?  specimens?  catalogue  catalog  articles?  items?  products?  bar-?codes?
    isbn  issn  editions?  volume  shelf(?: mark)?  dewey  pages?  scripts?  cues?  scenes?  versions?
    builds?  revisions?  firmware  releases?  commits?  branch(?:es)?  issues?  pull requests?
    register  registered  smoke alarms?  batter(?:y|ies)  bulbs?  fuses?  hinges?  (?<=is )type  typ  (?:staff|pupil|student|employee) no\.?
    status  http  exit  return  ports?  channels?  frequency  baud  resistors?  capacitors?  transistors?
    chips?  regulators?  colou?rs?  paint  ral  pantone  standards?  norms?  regulations?
    sections?  clauses?  paragraphs?  chapters?  forms?  files?(?= no)  cases?  tariffs?  rates?
    (?:tracking|tracked)  shipments?  consignments?  deliver(?:y|ies)  certificates?  postcode  post ?code  zip
    area  country  dialling  dialing  extension  ext\.?  city  region  airport  airline
    ucas  institution  campus  faculty  sort  bic  swift  iban  transactions?  approval  discounts?
    promo(?:tion)?  coupons?  expense  project  budget  job  vacancy  vacancies  set  kit  meters?
    reading  vin  plates?  registration  library  inventory  assets?  stock  sku  routes?  lines?(?= \d)
    event(?: id)?  events?  checkpoints?  trace  ending(?: in)?  ends in
    primer  catalogue no\.?  grants?  protocols?  accession  swab  stops?  stages? \d{1,2},
    fehler  störung  buchung  reservierung  auftrag  bestellung  rechnung  beleg  bon  quittung
    sitz(?:platz)?  plätze?  reihe  flug  gleis  zug  wagen  (?:ersatz)?teil  modell  serie  charge  muster
    probe  prüfung  klausur  kurs  fach  modul  zähler  stand  matrikel  vertrag  akte  vorgang  aktenzeichen
    sendung  paket  farbe  lack  durchwahl  nebenstelle  schaden  police  ausgabe  auflage  seite  norm  artikel
    raum  (?:spind|schließfach)(?= \d{1,6} (?:ist|bleibt|gehört)|,)
    erreurs?  panne  réservation  commande  facture  reçu  billet  places?  siège  rang  vol  quai  train  voiture
    pièces?  modèle  série  lot  échantillon  épreuves?  examen  cours  matière  dossier  sinistre  contrat
    compteur  relevé  élève  étudiant  adhérent  colis  envoi  couleur  teinte  poste  édition  norme  article
    produit  référence  postal  production  spectacle  carte de bibliothèque
    error(?:es)?  avería  reserva  pedido  factura  recibo  billete  asientos?  fila  vuelo  andén  tren  coche
    piezas?  modelo  lote  muestra  examen  asignatura  curso  materia  expediente  siniestro  contrato
    contador  lectura  alumn[oa]  socio  paquete  envío  color  extensión  edición  norma  artículo  producto
    referencia  incidencia  producción  función
    errore  guasto  prenotazione  ordine  fattura  scontrino  ricevuta  biglietto  posti?  fila  volo  binario
    treno  carrozza  pezzo  modello  lotto  campione  esame  corso  materia  pratica  sinistro  contratto
    contatore  lettura  matricola  alunn[oa]  soci[oa]  pacco  spedizione  colore  interno  edizione  norma
    articolo  prodotto  riferimento  segnalazione  produzione  spettacolo
    erros?  avaria  reserva  pedido  fatura  recibo  bilhete  lugar(?:es)?  assentos?  voo  comboio  trem
    peças?  modelo  amostra  prova  disciplina  curso  processo  contador  leitura  alun[oa]  encomenda  cor
    ramal  edição  norma  artigo  produto  referência  ocorrência  produção
    """)
"""Things with a number or a code of their own, which opens nothing."""

OTHER_COMPOUNDS = (
    r"[a-zäöüß]*(?:fehler|störungs|buchungs|reservierungs|auftrags|bestell|rechnungs|beleg|artikel|modell|serien|chargen|muster"
    r"|proben|prüfungs|klausur|kurs|modul|zähler|matrikel|vertrags|vorgangs|sendungs|paket|farb|material|teile|kunden|mitglieds|personal|inventar"
    r"|produktions|veranstaltungs|fahrzeug|flug|sitz|platz|raum|zimmer|steuer|geräte|typ|ausweis|länder|postleit)-?(?:code|nummer|nr\.?|kennung|zahl)"
)
"""German writes such a thing and its code as one word."""

SHOP_WORDS = (
    r"\d ?% off|discount|checkout|coupon|promo|rabatt|prozent|percent|réduction|remise|descuento|sconto|desconto|korting|zniżk|first order|"
    "free shipping|expense tool|product list"
)
"""Words of a shop: a code beside them is a price's, not a door's."""

CARRIERS = _either(r"""
    is  it['’]?s  its  is now  are  was  as  to  with  using  enter(?:s|ed|ing)?  type(?:s|d)?
    key in  punch in  press(?:es)?  dial  put in  try  use  wants?  takes?  on  says  called
    named  said  ist  lautet  mit  auf  gib  eingeben  tippe?  drücke?  richtig ist  c['’]est
    est  avec  tape[rz]?  compose[rz]?  faire  fais  es  con  marca[r]?  teclea[r]?  pon(?:er)?
    pulsa[r]?  introduc\w{1,20}  è  digita[re]*  premi  inserisci  é  com  digite  marque  met
    toets  tik  to  jest  wpisz  wciśnij  wybierz  :  ：  =  →  –  —  是  は  输入  按
    """)
"""Words after which a number may be the code of a thing named nearby."""

CHANGES = _either(r"""
    set(?:s|ting)?  chang(?:e|es|ed|ing)  reset  rotat(?:e|ed|ing)  updat(?:e|ed|ing)  made
    switched  geändert  gesetzt  ändere  changé  mis  modifié
    cambi(?:é|ado|ada|amos|ar|ato|ata)  puesto  mud(?:ei|ada|ado|ou)  alterei  troquei
    gewijzigd  veranderd  zmieni(?:łam|łem|one|liśmy|ono)  ustawi\w{1,20}  改成  改为
    """)

_NUMERALS = """
    thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty thirty forty fifty
    sixty seventy eighty ninety hundred nought dreizehn vierzehn fünfzehn sechzehn siebzehn
    achtzehn neunzehn zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig treize
    quatorze quinze seize vingt trente quarante cinquante soixante cent trece catorce quince
    dieciséis veinte treinta cuarenta cincuenta sesenta setenta ochenta noventa tredici
    quattordici quindici sedici venti trenta quaranta cinquanta sessanta settanta ottanta
    novanta treze vinte trinta quarenta cinquenta sessenta oitenta twintig dertig veertig
    vijftig zestig zeventig tachtig negentig dwadzieścia trzydzieści czterdzieści zero oh one
    two three four five six seven eight nine ten eleven twelve double triple null eins zwei zwo
    drei vier fünf fuenf sechs sieben acht neun zehn elf zwölf zéro un deux trois quatre cinq
    sept huit neuf dix onze douze cero uno dos tres cuatro cinco seis siete ocho nueve diez once
    doce due tre quattro cinque sei sette otto nove dieci um dois três quatro sete oito dez nul
    een één twee drie vijf zes zeven negen tien jeden dwa trzy cztery pięć sześć siedem osiem
    dziewięć dziesięć
"""
_ONES = ("ein", "zwei", "drei", "vier", "fünf", "sechs", "sieben", "acht", "neun")
_TENS = ("zwanzig", "dreißig", "vierzig", "fünfzig", "sechzig", "siebzig", "achtzig", "neunzig")
NUMERALS = frozenset(_NUMERALS.split()) | {f"{one}und{ten}" for one in _ONES for ten in _TENS}

_SPELLING = """
    capital uppercase lowercase big small cap upper lower space dash hyphen minus underscore dot
    point comma hash hashtag star asterisk bang exclamation question mark at sign slash dollar
    percent plus equals großes großer groß kleines klein bindestrich unterstrich punkt
    ausrufezeichen fragezeichen raute leerzeichen stern majuscule minuscule tiret arobase dièse
    espace mayúscula minúscula guion guión punto arroba almohadilla exclamación asterisco
    espacio maiuscola maiuscolo minuscola minuscolo trattino chiocciola cancelletto esclamativo
    maiúscula maiúsculo traço hífen ponto cerquilha hoofdletter kleine streepje punt
    uitroepteken hekje wielkie duże małe myślnik kropka wykrzyknik podkreślnik małpa then and
    und et y e en i dann puis luego poi alpha bravo charlie delta echo foxtrot golf hotel india
    juliet juliett kilo lima mike november oscar papa quebec romeo sierra tango uniform victor
    whiskey xray yankee zulu anton berta cäsar dora emil friedrich gustav heinrich ida julius
    kaufmann ludwig martha nordpol otto paula quelle richard samuel schule theodor ulrich viktor
    wilhelm xanthippe ypsilon zacharias zeppelin
"""
SPELLING = frozenset(_SPELLING.split())
"""Words with which a person spells a password aloud."""

_DESCRIPTIONS = """
    forgot forgotten remember show leave vide vuoto vacío leer
    minimum maximum mínimo mínima máximo minimo massimo minimal maximal höchstens almeno massima
    spaces whitespace wird werden würde kann muss soll sollte wäre werde empty
    monday tuesday wednesday thursday friday saturday sunday montag dienstag mittwoch donnerstag
    freitag samstag sonntag lundi mardi mercredi jeudi vendredi samedi dimanche lunes martes
    miércoles jueves viernes sábado domingo today tomorrow yesterday tonight time late early
    hilarious terrible great embarrassing silly birthday geburtstag anniversaire cumpleaños
    compleanno aniversário verjaardag urodziny name names year years date are am is were has had
    have does did do can could may might should shall live lives need needs whatever whoever
    anything cannot rotate rotates rotating hashed stolen sold sent given chosen base64 sha256
    bcrypt argon2 argon2id md5 utf8 utf-8 json yaml knows knew sure fine gone okay wherever
    company's team's sind waren hatte wurde wurden sont étaient fue fueron sono erano são eram
    zijn są były joined separated followed wygasło wygasa expirou expiró caducó changed change
    changes expira scade scaduto läuft ändert about above absent absurd accepted accessible
    accurate acceptable actually added again against all allowed almost already also always
    ambiguous among an and annoying another any anybody anyone anyway arbitrary as ask asked at
    authentication available away awful back bad bash based basically because before being below
    better between big blank bogus both broken business but by bypassed cached called capped
    case-sensitive case certain challenge cheap checked clear cleared cleartext clearly common
    company complex complicated compromised computed confidential configurable configured
    confused correct corporate critical crucial current customer dangerous data database dead
    default deliberately deprecated derived description different difficult digits disabled
    displayed distinct domain done doubtful down due dummy each easily easy either else empty
    enabled encoded encrypted end enforced enough entered environment especially essential etc
    eventually ever every everybody everyone everything everywhere exactly exempt exposed
    expired expires external extra extremely fair fake false familiar far fast few fictional
    field fields file final first fixed for forbidden forced forever forgotten format former
    free fresh from full fully fun funny further future generated generic global going good
    government guessable half handled hard hardcoded hardly harmless hash her here hers hidden
    high highly him his history how human identical if ignored illegal immutable important
    impossible in inactive incorrect indeed individual inherited initial input insecure inside
    instead insufficient internal invalid invisible irrelevant it its itself just kept key keys
    knowledge known last later latest least leaked left less letters like likely limited local
    locked logged long longer lost lots low lowercase made mainly man managed mandatory many
    masked maximum maybe me meaningless meant mentioned merely messed mine minimum missing mixed
    more most mostly moved much must my named near necessary needed negotiable neither never new
    next no nobody none nonexistent normal normally not nothing now nowhere null numbers numeric
    obfuscated obscure obsolete obvious obviously of off offline ok old on once one only open
    optional or original other others our ours out outdated outside over overdue overrated owned
    part particularly passed past pending per perfect permanent personal phishing plain
    plaintext planned plus policy poor possible possibly posted present pretty previous primary
    printed private probably problem prompted proper properly protected provided public purely
    quite random randomized rarely rather read readable ready real really recent recommended
    redacted refused regularly rejected related reliable removed required reset restricted
    reused revoked ridiculous right rotated rubbish safe salted same saved secret secure secured
    security see seen sensitive separate set several shared she short shorter shown similar
    simple simply since so some somebody someone something sometimes somewhere soon special
    standard still stored strange strict string strong stronger stuck stupid subject such
    sufficient super supposed symbols taken temporary tested text than that the their theirs
    them themselves then there these they thing things this those though through tied to
    together too top tricky trivial true truncated typed typical ugly unchanged unclear under
    undefined undisclosed unencrypted unguessable unique unknown unnecessary unreadable
    unrelated unsafe unset unsure until unused up updated uppercase us used useless user
    user-specific usual usually valid validated variable vault verified very via visible vital
    vulnerable wanted was weak weaker weird well what when where whether which who whole whose
    why widely will with within without work working worse worthless would written wrong yet you
    your yours yourself bob's expire expiring match matching be become get shit crap nonsense
    art king luck patience love trust wealth ab abgelaufen ähnlich alle allen allerdings alles
    alt andere anders auch auf aus außer bald bei beim bekannt bereits besser bitte bloß bis da
    dabei dafür dann daran das dass dein deine dem den der derselbe dasselbe dieselbe des
    deutlich die dies diese dir doch doof dort du durch ebenfalls echt egal eher eigentlich ein
    eine einem einen einer einfach einmal entweder er erforderlich erst es etwas euer falsch
    fällig fertig fest frei für ganz gar geheim gemerkt genau genauso gerade gestern gewesen
    gleich groß gut gültig ungültig hat heute hier hinter hoch ihm ihn ihr ihre im immer
    irgendwo ja jede jedes jemand jetzt kaputt kein keine klar klein kompliziert kurz lang
    länger langweilig leer leicht leider lieber mal mehr mein meine mindestens mir mit nach
    natürlich neben neu neue nicht nichts nie niemand noch notwendig nötig nun nur ob oder oft
    ohne online pflicht privat richtig schlecht schon schwach schwer schwierig sehr sein seine
    seit sicher sofort sogar sonst später stark streng teil tot total überall über um unbekannt
    und uns unser unsicher unter unverändert vergessen verloren veraltet viel vielleicht vom von
    vor vorbei vorhanden wahrscheinlich wann war weg weiter weil wenn wer wichtig wie wieder
    wirklich wo wohl zu zum zur zurzeit zwar zwingend à abord ailleurs ainsi alors ancien
    ancienne assez au aucun aussi autre aux avant avec beaucoup bien bientôt bon bonne ça car
    cassé ce cela celle celui ces cet cette chez chiffré comme compliqué côté courant court dans
    de déjà demain demandé depuis dernier derrière désactivé devenu différent difficile elle en
    encore enregistré entre erroné et expiré faible facile faux fini fort force haché hors ici
    identique il inchangé inconnu invalide inutile jamais je la là le les leur lors lui ma
    mauvais même mes mien mieux moi moins mon nécessaire ni noté notre nous nouveau nulle
    obligatoire oublié ou où par pareil parfois partagé pas perdu périmé personnel plutôt pour
    pourquoi presque privé protégé puis qu quand que quelque quelqu'un qui quoi requis rien sa
    sans sauvegardé se sécurisé selon ses seulement si son sous souvent stocké sur ta tard te
    tel temporaire tes tien toi ton toujours tous tout toute très trop un une valable valide
    vide votre vôtre vrai y a acá además ahí ahora al algo algún alguien allí ante antes antigua
    antiguo anterior aquel aquí así aún aunque bajo bastante buena bueno cada caducada casi
    clara como común con correcta corta cuando cual débil del demasiado desde después difícil
    distinta donde el él ella errónea esa ese eso esta este esto expirada fácil falsa fuerte
    genérica hasta hay hoy igual importante incorrecta insegura inválida larga las lo los lugar
    mala más mayor mejor menos mi mía mío mismo misma muy nada nadie necesaria ninguna nuestra
    nueva nuevo nunca o obligatoria otra otro para parte pero poco por porque privada
    provisional pública quien quizá robusta secreta segura según ser sí sido siempre sin sobre
    solo sólo su suya suyo tal también tan temporal tener toda todo tu tuya una única usted
    vacía válida vieja ya yo abbastanza ad adesso ai alla altra altro anche ancora appena attiva
    bene breve che chi ci come corretta così cui dal dalla debole dei della delle dentro di
    diversa dopo dove e ed essere forse forte fra già gli i ieri insicura invalida io lei lì
    loro lunga mai male meglio meno mia mie mio molto necessaria nel nella nessuna niente non
    nostra nuova nuovo obbligatoria oggi ogni ora perché personale più poi prima privata proprio
    pubblica qua quale qualche quando quasi quella quello questa questo quindi scaduta scritta
    segreta semplice sempre senza sicura sotto stata stato sua sue sul sulla suo tanto
    temporanea ti tra troppo tua tuo tutta tutto uguale vecchia vecchio vera visibile vostra
    vuota agora ainda alguém ali antiga ao aos aqui até boa com comum correta curta debaixo dela
    dele demais depois diferente dos ela ele em então era errada essa esse está estava eu fraca
    foi incorreta isso já lá longa mais mas mesma mesmo meu meus minha muito na não nas nem
    nenhuma ninguém nos nossa nova obrigatória os outra pela pelo pessoal pois pouco quem sem
    seu simples só talvez também tão temporária todos uma vazia velha aan alleen als altijd
    bekend ben beter bij bijna daar dan dat deze dit door een eenvoudig eerst eigenlijk elke
    ergens fout geen gewoon goed haar heel het hetzelfde hem hij hoe hun iedereen iemand iets ik
    ingewikkeld jij jouw juist kapot klaar kort kwijt leeg makkelijk meer met mij mijn minder
    minstens moeilijk moet naar natuurlijk net niet niets nieuw nodig nog nooit nu om onbekend
    onder ongeldig ons onveilig onze ook oud precies slecht sterk tegen thuis toch toen tussen
    uit van veel veilig verkeerd vol voor vrij waar wat weer wel wij zeer zelf zo zoek zonder
    zwak aby albo ale bardzo bez bo był była było być bardziej czy często dla dobre dobrze dziś
    gdy gdzie go ich inne inny jak jaki jego jej jest jeszcze już każdy kiedy krótkie ktoś który
    łatwe mam mnie moje może można mój nad nadal nam nasze nic niego niej nieważne nieznane
    nigdy nikt nowe obok obowiązkowe od oraz pod po poprawne potem potrzebne prawie prawidłowe
    proste przed przez przy puste razem samo się silne słabe stare swoje tajne tak takie także
    tam tego ten też tutaj twoje tylko tym u w wam wasze wciąż we więc wspólne wszędzie wszystko
    wymagane z za zapisane zawsze ze zgubione złe zły znane tbd tba n/a nil idem ditto dito
    siehe voir ver vedi zie zobacz sso mfa 2fa okta google github gitlab oauth saml ldap
    kerberos yubikey fingerprint biometrics passkeys touchid faceid 1password bitwarden lastpass
    keepass dashlane keychain keyring varchar str int integer bool boolean bytes char number
    password passwd token value type label placeholder hint prompt dialog form page screen
    button manager policies rule rules rotation resets strength length expiry expiration inputs
    hashes hashing protection prompts recovery request requests generator checker hygiene auth
    login logins less-based-only sharing storage store files table column attempt attempts list
    lists requirement requirements email emails mail mails link links update updates check
    checks box cracking cracker spraying stuffing leak leaks breach breaches guessing complexity
    entropy-based sync management tool tools vaults audit audits handling validation
    verification word words phrase phrases game games zurücksetzen richtlinie ändern schutz feld
    abfrage eingabe oubliés gestionnaire champ olvidada olvidadas gestor campo dimenticata
    vergeten beheerder zapomniane menedżer comply keep make avoid meet prevent stop protect
    allow satisfy ensure look prioritize access please himself herself myself ourselves sits
    hangs hängt stays practice darf dürfen påhittat cosa pls plz svp thx permission denied
    för ganska mycket helt alt altfor meget veldig också også inte
    ikke ingen fortsatt stadig ännu samma samme gammal gammalt gamla gammel gammelt nyt nytt nya
    lång långt langt svagt svag svak stærk starkt sterk fel forkert feil okänt ukendt ukjent
    pregunta preguntar pregúntale pregúntala pregúntaselo preguntad pide pídela pídele pedid chiedi
    chiedere chiedete chiedila chiedilo chiedigli chiedila pergunte pergunta perguntar peça pede
    demandez demander demandes frag frage fragen fragt vraag contacta contatta contactez
    durchwahl extension ext tel telefon telefono teléfono téléphone hotline
    liegt steht steckt void toast history dust dead gibberish garbage rubbish trash junk moot null defunct worthless useless retired history invalidated hinfällig nichtig wertlos obsolet
    unbrauchbar ungenutzt caduc caduque nul périmée révoqué compromis compromise perdue mort morte
    requise connu connue inconnue transmis transmise remis remise écrit écrite inscrit inscrite
    détruit détruite découvert découverte corrompu corrompue reçu reçue prévu prévue imposé choisi
    compartida requerida generada guardada almacenada enviada conocida desconocida usada rotada
    cambiada exigida cifrada verificada asignada elegida pedida solicitada perdida filtrada robada
    bloqueada vencida revocada anulada nula inservible caducado expirado compromised
    persa compromessa nascosta richiesta rimasta rimasto invariata invariato diventata conosciuta
    sconosciuta nota ignota condivisa decisa emessa rimossa trasmessa concessa protetta corrotta
    rotta letta detta fatta messa presa chiesta imposta esposta composta scelta tolta nulla nullo inutile
    giù attesa sospesa inclusa esclusa estesa divisa
    compartilhada alterada trocada perdida vencida expirada bloqueada revogada nula guardada gerada
    definida exigida escrita aberta conhecida desconhecida
    ändrat ændret endret hemligt hemmelig sparat gemt lagret utgånget udløbet utløpt forældet
    visst gott malými velkými stejné nové staré špatné jen pouze příliš moc dlouhé krátké slabé
    silné uložené změněné zapomenuté хороший неверный неверен новый старый старое новое другой
"""
DESCRIPTIONS = frozenset(_DESCRIPTIONS.split())
"""Words that say how, where or whose a password is, instead of what it is."""

_FICTION = """
    story stories film films movie movies book novel tale fairy fable comic episode chapter joke
    xkcd song lyrics game poem series musical opera märchen geschichte buch krimi folge lied
    witz spiel hörspiel theaterstück conte histoire roman chanson blague cuento historia
    película novela canción chiste fiaba storia favola libro canzone romanzo filme livro
    história sprookje verhaal boek liedje bajka bajce powieść książka filmie piosenka 故事 电影 小说
    童话 映画 物語 小説 ドラマ heart hearts herz herzen cœur corazón cuore coração hart serca serce
    hjärta hjärtan hjerte juegan adivinar jugando spielen jouent giocano wordle crossword quiz dictée dettato diktat artículo contract
"""
FICTION = frozenset(_FICTION.split())
"""A password in a story opens nothing."""

_UNITS = """
    digit digits digits, character characters chars letters numbers symbols bits bytes words
    times people days weeks months years hours minutes seconds points euro euros eur dollars
    dollar pound pounds franc francs yen cent cents kronor day week month year hour minute
    combinations possibilities options usd percent million thousand rides trips visits tickets attempts tries users rows items stellen ziffern zeichen
    buchstaben mal tage wochen monate jahre stunden minuten uhr versuche chiffres caractères
    lettres fois jours semaines mois ans heures dígitos cifras caracteres letras veces días
    semanas meses años horas cifre caratteri lettere volte giorni settimane mesi anni ore dias
    vezes anos cijfers tekens keer dagen weken maanden jaar uur cyfr cyfry znaków znaki liter
    razy dni tygodni miesięcy lat godzin lines pages zeilen seiten lignes líneas righe linhas
    regels linii rader linjer km m kg g ml cm mm mb gb tb kb ms rpm kwh
"""
UNITS = frozenset(_UNITS.split())
"""After a number these make it a count."""

_LOGIN_MEANS_LIST = """
    linkedin apple facebook email e-mail mail username token tokens certificate card key bankid
    fingerprint face phone app github google microsoft twitter sms code password passwords
    passkey account accounts credentials root sudo admin ssh keys pin otp two-factor handy
    fingerabdruck karte kundennummer carte empreinte tarjeta huella impronta telefono spid digid
    itsme permissions rights access privileges browser firefox chrome safari vpn yubikey windows
"""
LOGIN_MEANS = frozenset(_LOGIN_MEANS_LIST.split())
"""Things other than a password with which somebody signs in."""

_ASKING = """
    hier here aqui aquí aca acá qui quì ici là insert enter add paste put set replace change fill fixme todo
    your yours my tu tus su tua tuo tuya tuyo sua suo seu teu vostra vostro vuestra mia mi meu minha
    dein deine deinen ihr ihre ihren mein meine euer votre vos ton ta vôtre jouw je uw mijn
    pon poner ponga pega pegar inserta insertar introduce introducir escribe escribir cambia cambiar
    cámbiame cambiame cambiami reemplaza reemplazar reemplazame sustituye sustituir rellenar
    setze setzen einsetzen einfügen einfuegen eintragen eingeben ersetzen ersetze ändern aendern
    ändere ausfüllen ausfuellen anpassen
    mettez mettre mets insérer inserer insérez inserez remplacer remplacez remplace changer changez
    saisir saisissez entrez collez coller renseigner
    inserisci inserire metti mettere cambiare sostituisci sostituire incolla modifica
    coloque colocar coloca insira inserir troque trocar substitua substituir digite altere mude
    preencha vul invullen vervang wijzig plak
"""
ASKING_WORDS = frozenset(_ASKING.split())
"""Words that ask a reader to put a value of their own: `pon-tu-clave-aquí`."""

_ASKED_FOR = """
    password passwort kennwort contraseña contrasena clave llave cle clé clef jeton senha chave
    token key keys secret secreto secreta segreto segreta segredo geheimnis geheim geheimes
    schlüssel schluessel schlussel apikey api parola chiave valor valeur valore wert value
    wachtwoord sleutel pass passe mot mdp pwd pin code código codigo codice acceso accès acces
    access accesso acesso zugang zugangs palavra credential credentials login user usuario utente
    benutzer
"""
ASKED_FOR_WORDS = frozenset(_ASKED_FOR.split())
"""Words for the value that a reader is asked to put in, such as `clave` in `pon-tu-clave-aquí`."""

_ASKING_FILLERS = """
    de du des d la le les el los las il lo o a à das der die ein eine un une una uno por per para
    pour für fuer me moi te lo in qui y und et e da do della del dell di l to bitte please favor
    prego stp svp real echte echtes richtige proprio propria propre propia the it this at your i
    esto esta questo questa isto dies dieses ceci cela
    secret super new neu neues nuevo nueva nuovo nuova nouveau nova
"""
ASKING_FILLERS = frozenset(_ASKING_FILLERS.split())
"""Words between them."""
