"""Which statements can both be true."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commonplace.rules.relations.claims import Claim, read_claims
from commonplace.rules.relations.contradiction import judge

CONTRADICTIONS = [
    (
        "We chose Kafka over NATS because of the ecosystem.",
        "We chose NATS over Kafka: it is small.",
    ),
    ("We picked Vue rather than React for the shop.", "React was chosen over Vue for the shop."),
    (
        "Let's go with Kafka instead of NATS.",
        "We deliberately chose NATS over Kafka due to its size.",
    ),
    ("Use pnpm, not npm, for installs.", "I decided to use npm instead of pnpm."),
    ("Decision: Kafka over NATS.", "We chose NATS over Kafka for messaging."),
    ("The cost per night in cabin 3 is 90.", "The cost per night in cabin 3 is 80."),
    ("The last train is at 22:10.", "The last train is at 21:40."),
    ("I like Adidas shoes.", "I don't like Adidas shoes."),
    ("My Adidas broke, I hate Adidas now.", "The user loves Adidas."),
    ("I no longer eat meat and I like tofu.", "I don't like tofu."),
    ("The deploy branch is main.", "The deploy branch is release."),
    ("deploy branch: main", "The deploy branch is release."),
    ("Ada lives in Paris.", "Ada lives in Berlin."),
    ("I moved to Lisbon.", "I live in Oslo."),
    ("I work at Siemens.", "I work for SAP."),
    ("My favourite colour is green.", "The user's favorite color is blue."),
    ("I prefer tabs.", "I prefer spaces."),
    ("I prefer window seats.", "I prefer aisle seats."),
    ("I prefer dark mode.", "I prefer light mode."),
    ("Use tabs for indentation.", "Use spaces for indentation."),
    ("We use pnpm instead of npm.", "We use npm."),
    ("We migrated from MySQL to PostgreSQL.", "We use MySQL."),
    ("The rate limit is 200 requests per minute.", "The rate limit is 100 requests per minute."),
    ("The project requires Python 3.12.", "The project requires Python 3.11."),
    ("The server listens on port 8080.", "The server listens on port 80."),
    ("Standup is on Tuesdays.", "Standup is on Mondays."),
    ("The build takes ten minutes.", "The build takes 5 minutes."),
    ("Tracing is disabled.", "Tracing is enabled."),
    ("The API is not public.", "The API is public."),
    ("Never deploy on Fridays.", "Always deploy on Fridays."),
    ("Ich mag keinen Kaffee.", "Ich mag Kaffee."),
    ("Ich wohne jetzt in Wien.", "Ich wohne in Berlin."),
    ("Je n'aime pas le thé.", "J'aime le thé."),
    ("J'habite à Lyon.", "J'habite à Paris."),
    ("No me gusta el café.", "Me gusta el café."),
    ("Vivo en Madrid.", "Vivo en Sevilla."),
    ("我不喜欢茶。", "我喜欢茶。"),
    ("我住在上海。", "我住在北京。"),
    ("コーヒーが嫌いです。", "私はコーヒーが好きです。"),
    ("私は大阪に住んでいます。", "私は東京に住んでいます。"),
    ("I prefer spaces over tabs.", "I prefer tabs over spaces."),
    ("prefers spaces over tabs", "Prefers tabs over spaces"),
    ("I prefer coffee to tea.", "I prefer tea to coffee."),
    ("Prefers light mode", "Prefers dark mode"),
    ("I prefer spaces.", "I prefer tabs over spaces."),
    ("Ada has moved to Milan.", "Ada lives in Rome."),
    ("I moved to Berlin last month.", "I live in Munich."),
    ("I work for Globex since May.", "I work for Acme."),
    ("The app deploys to AWS in production.", "The app deploys to Fly.io in production."),
    ("The log level in production is INFO.", "The log level in production is WARNING."),
    ("The project uses Python 3.12.", "The project uses Python 3.10."),
    ("The release is planned for June 1.", "The release is planned for May 4."),
    ("The user's name is Anne.", "The user's name is Ann."),
    ("The API no longer returns XML.", "The API returns XML."),
    ("Mein Lieblingseditor ist Emacs.", "Mein Lieblingseditor ist Vim."),
    ("我不喜欢咖啡了。", "我喜欢咖啡。"),
    ("I dislike Adidas, my pair broke.", "I like Adidas."),
    ("I dislike Adidas after my pair broke.", "I like Adidas."),
    ("I dislike Adidas - the sole came off.", "I like Adidas."),
    ("I like Adidas again, they sent me a new pair.", "I dislike Adidas, my pair broke."),
    ("The port is 5433, not 5432.", "The port is 5432."),
    ("The port is 5433 (not 5432).", "The port is 5432."),
    ("The port is 5433 and not 5432.", "The port is 5432."),
    ("The port is 5433 instead of 5432.", "The port is 5432."),
    ("port: 5433 rather than 5432", "The port is 5432."),
    ("The port is 5433, not 5432.", "The port is 5431."),
    ("The port is 5433 instead of 5432 in staging.", "The port is 5432 in staging."),
    ("The release branch is master, not main.", "The release branch is main."),
    ("We deploy from the branch master, not main.", "We deploy from the branch main."),
    ("I live in Berlin, not Munich.", "I live in Munich."),
    ("I live in Berlin now, no longer in Munich.", "I live in Munich."),
    ("I moved to Berlin, not to Munich.", "I live in Munich."),
    ("The build takes two minutes, not one.", "The build takes one."),
    ("My name is Ann, not Anne.", "My name is Anne."),
    ("I like tea, not coffee.", "I like coffee."),
    ("Use tabs, not spaces.", "Use spaces."),
    ("I prefer tabs, not spaces.", "I prefer spaces."),
    ("The report is due on Monday, not on Friday.", "The report is due on Friday."),
    ("Der Server heißt Zeus, nicht Atlas.", "Der Server heißt Atlas."),
    ("Der Port ist 5433, nicht 5432.", "Der Port ist 5432."),
    ("Der Port ist 5433 statt 5432.", "Der Port ist 5432."),
    ("Der Port ist nicht 5432, sondern 5433.", "Der Port ist 5432."),
    ("Ich wohne in Berlin, nicht in München.", "Ich wohne in München."),
    ("Le port est 5433, pas 5432.", "Le port est 5432."),
    ("J'habite à Lyon au lieu de Paris.", "J'habite à Paris."),
    ("El puerto es 5433, no 5432.", "El puerto es 5432."),
    ("Vivo en Madrid en lugar de Sevilla.", "Vivo en Sevilla."),
    ("端口是5433，不是5432。", "端口是5432。"),
    ("端口是5433而不是5432。", "端口是5432。"),
    ("端口不是5432，而是5433。", "端口是5432。"),
    ("我住在上海，不在北京。", "我住在北京。"),
    ("ポートは5432ではなく5433です。", "ポートは5432です。"),
    ("私は東京ではなく大阪に住んでいます。", "私は東京に住んでいます。"),
]
COMPATIBLE = [
    ("I moved to the design team in May.", "I live in Tartu."),
    ("I moved to a standing desk.", "I live in Tartu."),
    ("The cost per night in cabin 4 is 90.", "The cost per night in cabin 3 is 80."),
    ("The cost per kilo of glaze is 9 euros.", "The cost per kilo of clay is 2 euros."),
    ("Shipping cost in Graz is 7 euros.", "Shipping cost in Brno is 5 euros."),
    ("The need for speed is 3 of 5.", "The need for colour is 2 of 5."),
    ("The last bus is at 22:10.", "The last train is at 21:40."),
    ("Havel's last order was flour.", "Havel's last visit was in May."),
    ("The app deploys to AWS in production.", "The app deploys to Fly.io in staging."),
    ("The app is hosted on AWS for production.", "The app is hosted on Hetzner for testing."),
    ("Postgres runs on port 5433 in staging.", "Postgres runs on port 5432 in production."),
    ("The report is due on Monday for Globex.", "The report is due on Friday for Acme."),
    ("The ticket costs 20 euros for adults.", "The ticket costs 10 euros for children."),
    ("The parser is written in Rust on the server.", "The parser is written in Go on the client."),
    ("I work at a food bank on weekends.", "I work at Acme on weekdays."),
    ("I live in Potsdam on weekends.", "I live in Berlin during the week."),
    ("Line length is 120 in Java.", "Line length is 88 in Python."),
    ("I prefer tea over juice.", "I prefer coffee over water."),
    ("I prefer spaces over tabs in Python.", "I prefer tabs over spaces in Makefiles."),
    ("Feature Y is not done.", "Feature X is done."),
    ("The rate is limited by IP.", "The rate is 5 per second."),
    ("私の妹は大阪に住んでいます。", "私は東京に住んでいます。"),
    ("I like tea.", "I like coffee."),
    ("I like tea.", "I dislike coffee."),
    ("I like tea cake.", "I dislike tea."),
    ("I like green tea.", "I like tea."),
    ("I prefer window seats.", "I prefer dark chocolate."),
    ("We use Python.", "We use Docker."),
    ("We use SQLite for tests.", "We use PostgreSQL in production."),
    ("We chose NATS over Kafka.", "We chose NATS over RabbitMQ."),
    ("We chose MySQL over Postgres for orders.", "We chose Postgres over MySQL for the archive."),
    ("We did not choose Kafka over NATS.", "We chose NATS over Kafka."),
    ("The Berlin office chose Kafka over NATS.", "We chose NATS over Kafka."),
    ("Should we use Kafka instead of NATS?", "We use NATS instead of Kafka."),
    ("The server is slow.", "The server is down."),
    ("Ada is tall.", "Ada is a doctor."),
    ("Ada lives in Paris.", "Bob lives in Berlin."),
    ("I live in Berlin, Germany.", "I live in Berlin."),
    ("It is 5 degrees.", "It is 7 degrees."),
    ("The meeting was at 10.", "The meeting was at 11."),
    ("If it rains, the venue is the hall.", "The venue is the park."),
    ("Is the port 80?", "The port is 8080."),
    ("The branch might be main.", "The branch is trunk."),
    ("My sister is Anna.", "My sister is Bea."),
    ("A man is sitting.", "A man is standing."),
    ("The editor is great.", "The editor is vim."),
    ("I bought 3 apples.", "I bought 2 apples."),
    ("The deploy branch is main (was release).", "The deploy branch is main."),
    ("Ich mag Tee.", "Ich mag Kaffee."),
    ("我喜欢茶。", "我喜欢咖啡。"),
    ("The port is 5433, not 5432.", "The port is 5433."),
    ("The port is 5433 in staging, not 5432.", "The port is 5432 in production."),
    ("The port is 5433 instead of 5432 in staging.", "The port is 5432 in production."),
    ("My name is Ann, not Anne.", "My name is Ann."),
    ("A man is sitting, not standing.", "A man is standing."),
    ("It is master, not main.", "It is main."),
    ("The app is fast, not only on Linux.", "The app is fast on Linux."),
    ("The app is fast, not just on Linux.", "The app is just on Linux."),
    ("Ada likes tea, not Bob.", "Bob likes tea."),
    ("I live in Berlin, not in Munich.", "Ada lives in Munich."),
    ("Bob, not Ada, is the lead.", "Bob is the lead."),
    ("If the port is 5433, not 5432, the tests pass.", "The port is 5432."),
    ("Is the port 5433, not 5432?", "The port is 5432."),
    ("I like tea rather than water, not too hot.", "I like tea."),
    ("我住在上海，不在北京。", "我住在上海。"),
    ("ポートは5432ではなく5433です。", "ポートは5433です。"),
    ("这是5432。", "这是5433。"),
    ("今天是5号。", "今天是6号。"),
    ("但是5个人来了。", "但是6个人来了。"),
    ("妹は学生です。", "妹は元気です。"),
    ("> The port is 80.", "The port is 8080."),
    ("```\nport: 80\n```", "port: 8080"),
]


@pytest.mark.parametrize(("newer", "older"), CONTRADICTIONS)
def test_what_cannot_both_be_true_contradicts_in_either_order(newer: str, older: str) -> None:
    found = judge(newer, older)
    assert found.relation == "contradicts"
    assert found.words
    assert judge(older, newer).relation == "contradicts"


@pytest.mark.parametrize(("newer", "older"), COMPATIBLE)
def test_what_can_both_be_true_does_not_contradict(newer: str, older: str) -> None:
    assert judge(newer, older).relation != "contradicts"
    assert judge(older, newer).relation != "contradicts"


def test_the_reason_names_the_thing_and_both_values() -> None:
    words = judge("The deploy branch is main.", "The deploy branch is release.").words
    assert words == "deploy branch: main, was release"


def test_a_value_that_is_named_as_wrong_makes_it_no_less_sure() -> None:
    plain = judge("The port is 5433.", "The port is 5432.")
    named = judge("The port is 5433, not 5432.", "The port is 5432.")
    assert named.words == "port: 5433, was 5432"
    assert named.sure >= plain.sure


def test_one_contradiction_among_many_statements_is_found() -> None:
    newer = "Ada approves releases. The deploy branch is main. We ship on Fridays."
    older = "Bob writes the notes. The deploy branch is trunk."
    assert judge(newer, older).relation == "contradicts"


def test_the_same_words_say_the_same_and_another_order_does_not() -> None:
    assert judge("We ship on Fridays.", "we ship on  fridays").relation == "same"
    assert judge("The man bites the dog.", "The dog bites the man.").relation != "same"
    assert judge("Turn on the lamp.", "Turn off the lamp.").relation != "same"


def test_saying_more_refines() -> None:
    found = judge(
        "The deploy branch is main since the March release.", "The deploy branch is main."
    )
    assert found.relation == "refines"


def test_likes_dislikes_and_likes_again_contradict_step_by_step() -> None:
    story = ["I love Adidas.", "My Adidas broke, I hate Adidas.", "I like Adidas again."]
    assert judge(story[1], story[0]).relation == "contradicts"
    assert judge(story[2], story[1]).relation == "contradicts"
    assert judge(story[2], story[0]).relation != "contradicts"


@pytest.mark.parametrize(
    ("text", "claim"),
    [
        ("I like tea.", Claim("user", "likes", "tea")),
        ("The user can't stand cilantro.", Claim("user", "likes", "cilantro", negated=True)),
        ("My name is Ishmael.", Claim("user", "name", "Ishmael")),
        ("The capital of Peru is Lima.", Claim("peru", "capit", "Lima")),
        ("Ada's favourite editor is vim.", Claim("ada", "favorit editor", "vim")),
        ("We use uv for packaging.", Claim("we", "uses for packag", "uv")),
        ("deploy branch: main", Claim("deploy branch", "is", "main")),
        ("Ich heiße Karl.", Claim("user", "name", "Karl")),
        ("我的名字叫小明。", Claim("user", "name", "小明")),
    ],
)
def test_a_claim_names_entity_attribute_and_value(text: str, claim: Claim) -> None:
    assert read_claims(text) == (claim,)


@pytest.mark.parametrize(
    "text",
    [
        "The port is 5433 instead of 5432 in staging.",
        "The port is 5433 in staging, not 5432.",
        "The port is 5433 (not 5432) in staging.",
    ],
)
def test_a_contrast_claims_and_denies_on_one_occasion(text: str) -> None:
    claim = Claim("port", "is", "5433", occasion="in stage")
    assert read_claims(text) == (claim, claim.but(value="5432", negated=True))


@pytest.mark.parametrize(
    "text", ["Is it good?", "It is broken.", "If I am late, I use the car.", "> I like tea", ""]
)
def test_questions_pronouns_conditions_and_quotes_claim_nothing(text: str) -> None:
    assert read_claims(text) == ()


@given(st.text(max_size=120), st.text(max_size=120))
def test_any_two_texts_can_be_judged_and_a_text_never_contradicts_itself(
    one: str, other: str
) -> None:
    assert judge(one, other).relation in ("same", "contradicts", "refines", "unrelated")
    assert judge(one, one).relation == "same"


@given(st.lists(st.sampled_from([text for pair in COMPATIBLE for text in pair]), max_size=4))
def test_a_text_said_twice_is_the_same(said: list[str]) -> None:
    text = " ".join(said)
    assert judge(text, f"{text}  ").relation == "same"
