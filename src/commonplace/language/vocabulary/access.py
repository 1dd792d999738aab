"""Words for what a password opens and for what one does with it, in many languages.

A word that is spelled as no other word is, such as `muckboots19`, is a password beside one of them.
"""

from __future__ import annotations

_STEMS = """
    accepte acceso accetta accounts aceita acepta acesso adgangskode alarm allarme anahtar
    anlage anmeld appuie arkiv arkusz armadietto arquivo arşiv aufgeh aufschl automat avlarma
    bancomat bankkarte bankkort bankomat barrière beamer bestand bildschirm bilgisayar bollard
    borne bram branka brann brett brána cacifo cadeado caisse cajero caméra cancello candado
    carpeta casier cellulare celular cofre compte computador computer connexion consigne
    contrasena contraseña copier correo credential cuenta cupboard cámara câmara datamaskin
    datei dator deactivat decifr decrypt desactiv desativ desbloque descifr deur digita disarm
    disattiv disinser disque domofon dossier dostęp dosya drucker drukark drück dveř dysk
    débloqu déchiffr démarre désactiv désarm déverrouill dörr dør e-mail eingang eingeb eingegeb
    einmal email entschlüssel entschärf entsperr ersatz escreve escrib exige fahrradschloss
    fernseher festplatte ficheiro fichier fietsslot foglio folha frakobl furtk garage garaje
    garasje garaż geheimzahl gendannelse gerät gjenopprett grind gästenetz handy hangslot hasł
    haustür hengelås herstel hesab hesap hesl hoftor horloge hänglås hængelås identifiant
    immeuble impresora impressora imprimante inloggegeven insere inserisci introduc invoer ipad
    iphone jelsz jeton kamera kapı kasa kassa kasse kelder keller kennwort kennwör keypad
    keystore kilit kiosk klatk klocka klucz kluis klíč kodeord kodord koffer komputer konsole
    konto kort kreditkarte kłódk laptop larm licentie lizenz locker losenord losung lucchetto
    lås lösenord macbook maleta mapp marca messagerie messrechner mobil modem móvil naciśnij
    napiš nettbrett nettverk netværk netzwerk notfall nyckel nätverk nøgle nøkkel obnov odblok
    odemk odemyk odszyfr odzyskiwan ontgrendel ontsleutel ordenador ordinateur ordner orologio
    otevír otevře otwier ouvr padlock parola passcode passord passphrase password passwort
    passwör pasta pengeskab pforte phone pinkod planilha platta platte plik poczt podaj poort
    porta portão postfach prima printer puerta pulsa rechner regneark reloj relógio reserv
    router réseau saisi salasan sblocc scanner schijf schließfach schloss schloß schlüssel
    schranke schreib schuppen schuur sejf senha serveur sifre silence skab skap skriv skrytk
    skärm skåp skřín slagboom sleutel smartphone soubor spind stampante steuerung stick suitcase
    szafk síť tabelle tablet tableur tankkarte tape taquilla tast teclea telecamera telefon
    telefoon telemóvel teléfono terminal tipp toegang toets toilet token trastero tresor trezor
    tryck tryk turnstile tuşla téléphone tür uitschakel unlock username verlang vestiaire
    vorhängeschloss vrat wachtwoord wallet wciśnij werkstatt wiederherstell workstation wpisz
    wstukaj wybierz wyłącz wähl yaz zadej zapasow zegarek zmáčkn zugang záložní zámek zámk åbne
    åpne återställ öffne öppna účet şifre аккаунт архив введи ввод ворот восстанов вход відкрив
    відновл двер диск домофон замк замок калитк карт ключ комп'ютер компьютер логин мереж набери
    набира нажми натисн ноутбук обліков откро открыв папк парол пасворд пин планшет подъезд почт
    пошт принтер під'їзд пін разблок резервн розблок сейф сигнализац телефон токен файл хвіртк
    часы шлагбаум ячейк
"""
ACCESS_STEMS = tuple(_STEMS.split())
"""Beginnings of words for doors, devices, files, accounts, and for opening and typing."""

_WORDS = """
    7z abre abrem abren abrir accepts accesso account acct accès admin administrator akzeptiert
    amex answerphone apple-id appuyer apre aprire aprono armário arranca asks asma aspetta atm
    attachment attend ağ baby-monitor backdoor bank banking bankpas barn barrera bas basement
    bastion bearer bikelock bios boathouse boîte braucht bunk buzzer cadenas cage caixa caja
    cajetín cajita cancela cantina card's carta cartão cashbox cashpoint cassa cassaforte
    cassetta cctv cellar chave chce chiave chiede chromebook citofono citrix clave clef clé
    codeword codewort coffre coffre-fort condomínio console conto correio cred creds cvc cvv
    deadbolt debit dial digicode digite disney disney+ docx drive drives druk drzwi e-reader
    ec-karte enter entered entering enters entre entrez erwartet espera excel expect expects fil
    filen firewall fitbit fragt frågar ftp fuel-card gate gatehouse gates geslo gib github
    gitlab gmail gpg grafana hard-drive haslo hatch hek hmi hoja hotspot icloud idrac ilo inbox
    inserire insira intercom internet interphone intranet ipmi ister istiyor jenkins jumpbox
    jumphost kabul keybox keychain keyfile keyring keysafe kindle konta konti krever kräver
    kræver kurtarma licencia licenza licença lock lockbox locked-up locks log-in login
    login-daten logindaten logins luks mail mailbox mails mainframe mala mastercard mdp mets
    metti mettre mnemonic motdepasse nas necesita netflix nett netwerk network netz nimm nimmt
    nintendo oczekuje open's openen opent otp outlook palavra-passe parentpay pas pass passe
    passwd paypal pc pdf pede pide piden pin pin's pin-code pincode pinpas pins playstation plc
    plex pon poner port porte porten portero portillon portone posta precisa premere premi prend
    press pressed presses pressing prompt prompts pronote prosi przyjmuje prédio ps4 ps5 ptá puk
    punch punched pw pwd pyta põe přijímá quer quiere rar rdp recovery recuperación recuperação
    recupero redeem reset respaldo rete richiede roblox root récupération safe safes sandbox
    sbarra scada scratch scrivi secours secreto seed segredo segreto sesam sesión sftp
    sharepoint shed shutter shutters sieci sieć signing sim single- siren slack slot sloten slå
    soruyor spell spelled spelt spotify spør spørger ssd ssh ssid staffroom stockroom storeroom
    strongbox sudo tager tan tap tapped tar teams television telly tenant tik tills tor typ type
    typed typen types typing télé unfreezes unzips ups usb utente valigia vault vaults veracrypt
    verja verwacht veut vil vill visa vm voer voicemail vpn vraagt vul vuole washroom wi-fi wifi
    wil will wlan wordpress wpisać wymaga xbox xlsx yedek zadat zip zips zoom účtu žádá введіть
    пасс приймає принимает просит просить сети сеть требует хоче хочет
"""
ACCESS_WORDS = frozenset(_WORDS.split())
"""The same as whole words."""

_SIGNS = """
    アカウント オートロック カード キー スマホ タブレット ネット パスワード パソコン ファイル
    ロッカー 保险柜 保险箱 入れ 入力 卡 压缩包 口令 合言葉 备用 密码 密钥 开 復旧 恢复 手机 打っ
    打つ 打开 押し 按 文件 无线 暗証番号 柜 求め 玄関 电脑 番号 码 网络 聞かれ 要 解锁 解除 账号
    账户 输入 金庫 鍵 锁 開き 開く 開け 门 门禁 계정 금고 넣어 노트북 누르 눌러 도어락 로그인
    물어 복구 비밀번호 비번 사물함 엑셀 열 열려 열리 열어 와이파이 요구 입력 자물쇠 쳐 치면 카드
    컴퓨터 키 태블릿 파일 풀고 풀어 핀 현관 휴대폰
"""
ACCESS_SIGNS = tuple(_SIGNS.split())
"""The same in scripts that put no spaces between words."""

_EXAMPLES = """
    beispiel docs documentation dummy ejemplo eksempel esempio example examples exempel exemple
    exemplo fake fictional fixture fixtures handbuch illustration invented made-up manual mock
    muster pattern placeholder placeholders plantilla platzhalter przykład příklad regex sample
    screenshot template voorbeeld örnek приклад пример
"""
EXAMPLE_WORDS = frozenset(_EXAMPLES.split())
"""Words beside which a password is shown and not told."""
