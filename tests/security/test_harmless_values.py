"""Values that open nothing pass, and secrets that resemble them are refused, kind by kind."""

from __future__ import annotations

import pytest

from commonplace.rules.screening.findings import CREDENTIAL, Finding
from commonplace.rules.screening.screen import screen

PASSWORD = "Kestrel77" + "Moor"
POINT = "MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEhyQCx0E9wQWSFI9ULGwy3BuRklnt"
HEX = "9f2c4be71d083a56" + "ce91b4407fd3a28e"


def refused(text: str) -> list[Finding]:
    return [one for one in screen(text) if one.kind == CREDENTIAL]


@pytest.mark.parametrize(
    "text",
    [
        "La password del router è scaduta ieri, chiedi a Marco",
        "La password del gestionale è compromessa.",
        "la password è nascosta nel cassetto",
        "la password dell'account è rimasta invariata",
        "Le mot de passe a été changé hier par Sophie",
        "Le mot de passe est compromis, on le change demain.",
        "L'ancien mot de passe est caduc.",
        "la contraseña está caducada desde ayer",
        "La contraseña es compartida.",
        "la vieja contraseña es nula",
        "A senha foi redefinida ontem",
        "A senha é compartilhada pela equipe.",
        "Das alte Passwort ist hinfällig.",
        "The former password is void, ask Hannah for the new one.",
    ],
)
def test_the_state_of_a_password_is_no_password(text: str) -> None:
    assert not refused(text)


@pytest.mark.parametrize(
    "text",
    [
        "La password del router è ginestra",
        "le mot de passe est tournesol",
        "La contraseña es mariposa",
        "A senha é jabuticaba",
        "The old password is void, the new one is Kestrel77.",
        "L'ancien mot de passe est Libellule8.",
        "Das alte Passwort ist hinfällig, das neue ist Kranich88.",
    ],
)
def test_a_word_in_its_place_is_one(text: str) -> None:
    assert refused(text)


@pytest.mark.parametrize(
    "text",
    [
        "OPENAI_API_KEY=sk-proj-***",
        "the token is ghp_xxxx…",
        "password: ****1234",
        "STRIPE_KEY=sk_live_...9f3a",
        "password = p*****d",
        "Password: •••••9",
        "Authorization: Bearer eyJhbGciOi...",
        "pwd=███████",
    ],
)
def test_a_masked_value_is_no_secret(text: str) -> None:
    assert not refused(text)


@pytest.mark.parametrize(
    "text", ["password: ab**cd99X", "password: Star*Fish12", "the password is Nova***77x"]
)
def test_a_password_with_stars_is_one(text: str) -> None:
    assert refused(text)


@pytest.mark.parametrize(
    "text",
    [
        "API_KEY=pon-aqui-la-tuya",
        "clave: pon-tu-clave-aqui",
        "contraseña: TU_CONTRASEÑA",
        "DB_PASSWORD=CAMBIAME",
        "PASSWORT=dein-passwort-hier",
        "API_TOKEN=IHR_TOKEN_HIER",
        "DB_PASSWORD=bitte-aendern",
        "API_KEY=votre_cle_api",
        "token=votre-cle-ici",
        "MDP=à_remplacer",
        "password=la-tua-password",
        "api_key: INSERISCI_QUI_LA_CHIAVE",
        "senha: sua-senha",
        "SENHA=coloque-sua-senha-aqui",
        "password=vul-hier-je-wachtwoord-in",
        "MYSQL_ROOT_PASSWORD=todo-set-me",
        "token: TU_STRIPE_TOKEN",
    ],
)
def test_a_placeholder_of_any_language_is_no_secret(text: str) -> None:
    assert not refused(text)


@pytest.mark.parametrize(
    "text",
    [
        "password=hier-kommt-Regen7",
        "DB_PASSWORD=tortuga-roja-22",
        "password: dein-Igel-4412!",
        "clave: aquiles44Sol",
        "MDP=ici-Lievre77",
        "PASSWORT=Hierarchie77!",
        "password: confirm77Moor",
        "DB_PASSWORD=@Kestrel(77)!",
    ],
)
def test_a_password_with_a_word_of_a_placeholder_is_one(text: str) -> None:
    assert refused(text)


@pytest.mark.parametrize(
    "text",
    [
        "spring.datasource.password=ENC(G6N718UuyPE5bHyWKyuLQSm02auQPUtm)",
        "the password in the properties file is ENC(7xQ2kL9vTmZr5YbN3sWc)",
        "password: {cipher}3f9a1c0d7eb82e491fa6",
        "password: {AES}9TnRw4YbCs7DfHjGpAeU1iOo3KxQvBtMr5Zd8Wy=",
        "<password>{jSMOWnoPFgsHVpMvz5VrIt5kRbzGpI8u+9EF1iFQyJQ=}</password>",
        f"password: vault:v1:{HEX}",
        f"DB_PASSWORD=AQICAH{HEX}",
        "password: !vault |\n  $ANSIBLE_VAULT;1.1;AES256\n  62313365396662343061393464336163",
        "The password is in arn:aws:secretsmanager:eu-central-1:111122223333:secret:app/db-9XkQ2m",
        "Passwort: liegt in op://Team/NAS/passwort2",
        "api_key: ref+awsssm://prod/api/key2",
        "DB_PASSWORD=awsssm:/prod/db/password7",
        "password: projects/1234567/secrets/db-pw/versions/3",
        "password=${DB_PASSWORD}",
    ],
)
def test_what_is_sealed_or_kept_elsewhere_is_no_secret(text: str) -> None:
    assert not refused(text)


@pytest.mark.parametrize(
    "text",
    [
        "password: ENCounter(99)x!",
        "password: vault-Door7!",
        f"spring.datasource.password={PASSWORD} # was ENC(G6N718UuyPE5bHyWKyuLQSm02auQPUtm)",
        f"jasypt.encryptor.password={PASSWORD}",
        f"op://Team/NAS/passwort2 is for the VPN, and the NAS password is {PASSWORD}",
        f"vault://ops:{PASSWORD}@vault.lan/kv",
        "password: {noop}" + PASSWORD,
    ],
)
def test_a_secret_beside_a_reference_is_refused(text: str) -> None:
    assert refused(text)


@pytest.mark.parametrize(
    "text",
    [
        "sops encrypts for the key age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p",
        "auth key ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIKx9vQ2mTz7LrB4nWc8YdHsJf3GpAeU1iOoXqBtNvZrL",
        "signing key (verify only): MCowBQYDK2VwAyEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE=",
        f"cosign verification key: {POINT}",
        "minisign key RWQf6LRCGA9i53mlYecO4IzT51TGPpvWucNSCh1CBM0QTaLn73Y7GFO3",
        "nostr key: npub10elfcs4fr0l0r8af98jlmgdh9c8tcxjvz9qkw038js35mp4dma8qzvjptg",
        "Stripe key in the frontend: pk_live_51Nq8ZkVt3LmXr7WcYb2DfHs",
        f"-----BEGIN PUBLIC KEY-----\n{POINT}\n-----END PUBLIC KEY-----",
    ],
)
def test_a_public_key_is_no_secret(text: str) -> None:
    assert not refused(text)


@pytest.mark.parametrize(
    "text",
    [
        "AGE-SECRET-KEY-1" + "QYQSZQGP" * 7 + "QY",
        "PrivateKey = " + "kL8vQ2xT0mZr5YbN3sWc7HdJ9fGpA1eU6iOoXqBtRlM=",
        f"{POINT} is public, the password is {PASSWORD}",
        "private key of the server: kL8vQ2xT0mZr5YbN3sWc7HdJ9fGpA1eU6iOoXqBtRlM=",
    ],
)
def test_a_private_key_is_one(text: str) -> None:
    assert refused(text)


@pytest.mark.parametrize(
    "text",
    [
        'curl -u "$STRIPE_KEY:" -H "Idempotency-Key: KG5LxwFBepaKHyUD" https://api.stripe.com/v1/a',
        'curl --user "$U:$P" -H \'If-None-Match: "9f2c4be71d083a56ce91b440"\' https://x',
        "git log --grep='token' 9fceb02d..a1b2c3d4",
        "git commit -m 'fix: password reset mail was sent twice (a1b2c3d4e5f6)'",
        "passwd -l deploy2",
        "ssh-add asked for the passphrase of id_ed25519_work2.",
    ],
)
def test_a_command_without_a_secret_passes(text: str) -> None:
    assert not refused(text)


@pytest.mark.parametrize(
    "text",
    [
        f'curl -u "$USER:{PASSWORD}" https://nexus.lan',
        f'curl -u "{PASSWORD}9qqx:" -H "Idempotency-Key: 5f0c9b1e7a2d" https://api.lan',
        "rsync --password-file=<(echo Lichen77Bark) src rsync://backup@nas/data",
        "rootpw --plaintext Elm_Street9",
        f"[smtp.lan]:587 mailer:{PASSWORD}",
        f'git commit -m "set password to {PASSWORD}"',
    ],
)
def test_a_command_with_a_secret_is_refused(text: str) -> None:
    assert refused(text)


@pytest.mark.parametrize(
    "text",
    [
        "the order code is 884120",
        "Inventory code for the scanner: 40021",
        "The serial code is 7741-2290.",
        "The batch code is L2209B.",
        "PO code 4471290 for the pump",
        "tracking code: 00340434161094021501",
        "le code d'inventaire du vidéoprojecteur : 40021",
        "el código de inventario del proyector es 40021",
        "il codice articolo è 40021",
        "Der Bestellcode ist 884120.",
        "O código da vaga é RH-2207.",
        "Take ticket A35 and wait until the counter calls you.",
    ],
)
def test_the_code_of_a_thing_opens_nothing(text: str) -> None:
    assert not refused(text)


@pytest.mark.parametrize(
    "text",
    [
        "the code for the inventory room is 40021",
        "Inventory room door code 4471",
        "The gate code at the order desk is 8841#",
        "il codice del cancello è 8841",
        "My ticket machine PIN is 4471.",
        "the alarm password is nine-four-seven-one",
    ],
)
def test_the_code_of_a_room_opens_it(text: str) -> None:
    assert refused(text)


@pytest.mark.parametrize(
    "text",
    [
        "Call nine-nine-nine if the alarm goes off.",
        "Appelle le un un deux si l'alarme sonne",
        "The helpdesk number is 4412, ask for a password reset.",
        "Bei Fragen zum Passwort: Durchwahl 4412",
        "dial-in +44 20 7946 0958, no PIN needed",
        "The gate closes at 2200 and opens at 0600.",
        "il codice del portone cambia a gennaio 2027",
        '"hunter2" is a meme, not our password.',
        "contraseña: pregúntale a Inés",
        "Trello card 4412 has the password discussion.",
        "password: chiedi a Giulia",
        "S'il te réclame un mot de passe c'est que ta session a expiré.",
        "se chiede una password è che il tunnel è giù",
    ],
)
def test_telephone_numbers_times_and_reasons_are_no_secrets(text: str) -> None:
    assert not refused(text)


@pytest.mark.parametrize(
    "text",
    [
        "const MAGIC: [u8; 4] = [0xD3, 0x4D, 0xB3, 0x3F]; // password db",
        "access code 0x8E89BED6 is BLE's advertising address",
        "uint8_t sync_key[] = {0x1A, 0xCF, 0xFC, 0x1D};",
        "password: Annotated[str, Field(min_length=12)]",
        "passphrase: Option<String>,",
        "psk=ext:home_wifi2",
        "adminPassword: '@Microsoft.KeyVault(VaultName=kv2;SecretName=admin2)'",
        "if password != confirm2:",
        'self.client.login(username="kim", password=self.password)',
        '<PasswordField label="New password" minLength={12} />',
        "except PasswordError:\n    authenticator=LdapAuthenticator()",
    ],
)
def test_types_bytes_and_errors_of_a_program_are_no_secrets(text: str) -> None:
    assert not refused(text)


@pytest.mark.parametrize(
    "text",
    [
        'client.post("/login", data={"user": "kim", "password": "wrong"})\nassert status == 401',
        "WARN auth user=kim reason=password_expired attempt=3\nINFO auth mfa=totp session=4412",
        "const schema = z.object({\n  password: z.string().min(12).max(128),\n});",
        "a1b2c3d4 password: trim input\n7f3b9c02 pin dependencies",
        'key:\n  "private_key_id": "9f2c4be71d083a56ce91b4407fd3a28e"',
        "DB_PASSWORD=cambiar_esto\nSECRET_KEY=hier-schluessel-einfuegen",
        (
            "- recipient: age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p\n  enc: |"
            "\n    -----BEGIN AGE ENCRYPTED FILE-----\n    YWdlLWVuY3J5cHRpb24ub3JnL3YxCi0+IFgyNTUx"
            "OSA3ZEcya1E5dkx4VDRt\n    -----END AGE ENCRYPTED FILE-----"
        ),
    ],
)
def test_files_of_many_lines_without_a_secret_pass(text: str) -> None:
    assert not refused(text)


@pytest.mark.parametrize(
    "text",
    [
        'r = client.post("/login", data={"username": "kim", "password": "' + PASSWORD + '"})',
        f"INFO auth mfa=totp session=4412\nDEBUG body={{'u': 'kim', 'p': '{PASSWORD}'}}",
        f"Host jump\n  User kim\n  # pw: {PASSWORD}\n  IdentityFile ~/.ssh/id_work",
        f"a1b2c3d4 password: set to {PASSWORD}",
    ],
)
def test_files_of_many_lines_with_a_secret_are_refused(text: str) -> None:
    assert refused(text)


def test_the_bytes_of_a_key_are_one() -> None:
    numbers = ",".join(f"0x{HEX[at : at + 2]}" for at in range(0, 32, 2))
    assert refused(f"uint8_t aes_key[16] = {{{numbers}}};")


@pytest.mark.parametrize(
    "text",
    [
        "AccountKey=Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2"
        + "UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==;",
        "AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
        "the docs' key is sk_test_" + "4eC39HqLyjWDarjtT1zdp7dc",
        "Authorization: Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==",
        "The TOTP secret of the example is JBSWY3DPEHPK3PXP",
    ],
)
def test_a_key_that_a_manual_prints_is_no_secret(text: str) -> None:
    assert not refused(text)


@pytest.mark.parametrize(
    "text",
    [
        "AccountKey=" + "8kVq2LzXm9TnRw4YbCs7DfHjGpAeU1iOo3KxQvBtMr5" * 2 + "==;",
        "STRIPE_SECRET=sk_test_" + "51Nq8ZkVt3LmXr7WcYb2DfHs",
        "vault unseal key 1 of 3: kL8vQ2xT0mZr5YbN3sWc7HdJ9fGpA1eU6iOoXqBtRlM=",
        "glpat- and then Tz8Xk9vQ2m7LrB4nWcYd, without a space.",
        "p-a-s-s-w-o-r-d: Kestrel77!",
        "To open the archive of the choir recordings use madrigal_Alto_19.",
        'I set the Wi-Fi of the barn to "Falcon Perch 62", that\'s the key.',
        '<property name="hibernate.connection.password">Fern!Gully9</property>',
        '"Jwt": { "Key": "vQ2kLz7XmTn4RwYbC9sDf8HjGpAeU1iOo3KxQ" }',
        "Zoom: host key 448120, meeting 938 4726 1055",
        "The password is my cat's name, Biscuit, followed by 2014 and two exclamation marks.",
        "password in hex 0x42617273 0x6c657931",
        'passwd = "".join(["Kest", "rel", "77!"])',
        "Code vom Diensthandy 280419",
        "Bei der Fritzbox meldest du dich mit holunder27Teich an.",
    ],
)
def test_a_key_of_ones_own_is_one(text: str) -> None:
    assert refused(text)


@pytest.mark.parametrize(
    "text",
    [
        "The gauge jumps at the daylight saving switch; convert to UTC in ingest/parse.py",
        "The login is in src/auth.ts and the router in web/routes.tsx",
        "Access to the ledger is checked in lib/guard.rs, not in the panel",
    ],
)
def test_the_path_of_a_file_is_no_login(text: str) -> None:
    assert not refused(text)


@pytest.mark.parametrize("text", ["Router login admin/Kestrel.77", "the nas wants admin/Moor.py9"])
def test_a_password_behind_a_slash_is_one(text: str) -> None:
    assert refused(text)
