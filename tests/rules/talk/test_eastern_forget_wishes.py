"""A wish to forget a matter is heard in Chinese and Japanese, and told from talk of the work."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from commonplace.language.vocabulary import off_record as vocabulary
from commonplace.language.vocabulary.eastern_forget_wishes import EASTERN
from commonplace.ports.reasoner import Turn
from commonplace.rules.talk import off_record
from commonplace.rules.talk.forget_wishes import named_wish

SAID = {
    "忘掉我说过的关于里斯本旅行的事": "里斯本旅行",
    "请忘掉我之前说的关于牙医的话": "牙医",
    "麻烦忘记我刚才跟你说的关于工资的事情": "工资",
    "我昨天说的关于房东的话，都忘了吧": "房东",
    "我之前说的搬家的事就当我没说": "搬家",
    "关于体检，我说过的都忘掉吧": "体检",
    "把我跟你讲过的关于离婚的事全忘掉": "离婚",
    "就当我没说过牙医的事": "牙医",
    "那个，忘掉我对皮特的评价": "皮特",
    "我说的那个装修的事就算了吧": "装修",
    "刚才说的面试的事别记": "面试",
    "能忘掉我说的关于牙医的话吗": "牙医",
    "請忘掉我說過的關於里斯本旅行的事": "里斯本旅行",
    "我上次说的关于Weber医生的事不算数了": "Weber医生",
    "歯医者について言ったことは忘れて": "歯医者",
    "歯医者について私が言ったことは忘れてください": "歯医者",
    "さっき話したリスボン旅行の件、忘れてもらえますか？": "リスボン旅行",
    "前に言った引っ越しの話は忘れてくれる？": "引っ越し",
    "給料について話したことは全部忘れてほしい": "給料",
    "田中さんについて言ったことは撤回します": "田中さん",
    "健康診断について書いたこと、消しといて": "健康診断",
    "大家さんの話は聞かなかったことにして": "大家さん",
    "すみません、昨日伝えた転職の件は忘れてください": "転職",
    "リスボン旅行に関して言ったことはなかったことにしてください": "リスボン旅行",
}
"""Name what the user said."""
OTHERS = {
    "把关于停车位的笔记删掉": "停车位",
    "帮我把停车位的笔记删了吧": "停车位",
    "把關於停車位的筆記刪掉": "停車位",
    "删掉关于帐篷的那条笔记": "帐篷",
    "能把关于停车位的笔记删掉吗？": "停车位",
    "停车位的备忘可以删了": "停车位",
    "删除你记得的关于我工资的所有信息": "工资",
    "忘掉关于牙医的一切": "牙医",
    "把停车位从你的记忆里删掉": "停车位",
    "不用再记着健身房的事了": "健身房",
    "牙医的事就算了": "牙医",
    "算了，牙医的事忘了吧": "牙医",
    "牙醫的事就算了": "牙醫",
    "别提牙医的事了": "牙医",
    "谢谢！忘掉牙医那件事。": "牙医",
    "牙医那事取消了，忘掉吧": "牙医",
    "我不去了，所以里斯本旅行的事就算了": "里斯本旅行",
    "把搬家的事忘了吧": "搬家",
    "王先生的事别再提了": "王先生",
    "别管牙医了": "牙医",
    "你可以忘掉停车位了": "停车位",
    "不用管健身房了，已经退卡了": "健身房",
    "忘掉里斯本旅行吧": "里斯本旅行",
    "装修的事不弄了，忘了吧": "装修",
    "忘掉所有关于我前女友的事": "前女友",
    "把 Weber 医生的笔记删掉": "Weber 医生",
    "別再提相親的事了": "相親",
    "駐車場のメモを消して": "駐車場",
    "駐車場についてのメモは削除してください": "駐車場",
    "テントのメモ、消しといて": "テント",
    "駐車場のメモを消してもらえますか？": "駐車場",
    "駐車場をメモリから消して": "駐車場",
    "給料について覚えていることは全部消してください": "給料",
    "歯医者についての記録を削除して": "歯医者",
    "給料については全部忘れて": "給料",
    "ジムのことはもう覚えておかなくていいよ": "ジム",
    "歯医者の件は忘れて": "歯医者",
    "歯医者のこと忘れて": "歯医者",
    "じゃあ、歯医者の件はなかったことにしてください": "歯医者",
    "ありがとう。歯医者の話はもういいです": "歯医者",
    "やっぱり引っ越しの件はなしで": "引っ越し",
    "キャンセルしたから歯医者の件は忘れて": "歯医者",
    "歯医者の件は忘れて、もう行かないから": "歯医者",
    "忘れてください、歯医者の件は": "歯医者",
    "あの歯医者の件は忘れていいよ": "歯医者",
    "うちの犬のことは忘れて": "犬",
    "駐車場はもう忘れていいよ": "駐車場",
    "リスボン旅行は忘れてください": "リスボン旅行",
    "田中さんの件は気にしないで": "田中さん",
    "ジムの件は解約したので忘れてください": "ジム",
    "母の誕生日のメモ、削除お願いします": "母の誕生日",
    "駐車場のメモ、もういらないから消して": "駐車場",
    "忘れて、家賃の件": "家賃",
}
"""Name the note, or the matter alone."""

NO_WISHES = [
    "别忘了牙医的事",
    "不要忘记我说过的关于里斯本旅行的事",
    "別忘了我說的關於牙醫的事",
    "千万别忘掉停车位的事",
    "我忘了牙医的事",
    "我把牙医的事忘了",
    "哎呀，忘了牙医的预约",
    "忘记密码了怎么办",
    "你忘了牙医的事吗？",
    "你是不是忘了我说的关于牙医的话？",
    "他说牙医的事就算了",
    "客户说：忘掉我说过的关于发票的事",
    "老板让我忘掉旅行的事",
    "他对我说“忘掉牙医的事”",
    "如果用户说忘掉旅行的事，就清空",
    "把“忘掉牙医的事”翻译成日语",
    "加一个「删掉关于停车位的笔记」按钮",
    "忘掉缓存吧",
    "别管测试了，先做解析器",
    "缓存的事就算了",
    "忘掉那个 cache 的事",
    "删掉这段代码",
    "把注释删掉",
    "删除用户表的记录",
    "不用管报错了",
    "重构的事先算了",
    "牙医的事先别管了，今天先写代码",
    "忘掉它吧",
    "这件事就算了",
    "要不要把牙医的事忘掉？",
    "算了，能跑就行",
    "忘掉牙医的事，他说",
    "别删掉关于停车位的笔记",
    "忘了跟你说，房租涨了",
    "把关于页面的内容删掉",
    "忘掉 SQL 吧，用 ORM",
    "忘掉之前的设计，重新开始",
    "停车位的笔记删了吗？",
    "不能忘掉牙医的事",
    "歯医者の件は忘れないで",
    "歯医者の件を忘れないでください",
    "歯医者について言ったことは忘れてはいけない",
    "歯医者の予約を忘れてた",
    "歯医者の予約を忘れて、怒られた",
    "財布を忘れて困っている",
    "歯医者の件、忘れてないよね？",
    "歯医者のこと忘れた？",
    "歯医者の件は忘れてと言われた",
    "歯医者の件は忘れて、と彼が言った",
    "「歯医者の件は忘れて」と言われた",
    "彼は歯医者の件は忘れてくださいと言っていた",
    "お客さんから「請求書について言ったことは忘れて」とメールが来た",
    "「歯医者の件は忘れて」を英語に訳して",
    "もしユーザーが旅行の件は忘れてと言ったら消して",
    "キャッシュは忘れて、まずパーサーをやろう",
    "テストの件は忘れて",
    "コードのコメントを消して",
    "ログファイルを消して",
    "エラーは無視して",
    "ビルドの警告は気にしないで",
    "一時ファイルを削除してください",
    "リファクタの話はとりあえず忘れて",
    "それは忘れて",
    "この件は忘れて",
    "何を忘れてほしい？",
    "パスワードを忘れた",
    "歯医者の件は忘れてしまった",
    "歯医者の件を忘れずに",
    "駐車場のメモを消さないで",
    "駐車場のメモを消して、電話番号を書いた",
    "前の設計は忘れて、最初からやり直そう",
    "忘れてはいけないのは歯医者の件",
]


@pytest.mark.parametrize(("said", "matter"), (SAID | OTHERS).items())
def test_a_wish_names_its_matter(said: str, matter: str) -> None:
    wish = off_record.wish_to_forget(said)
    assert wish is not None
    assert wish.about == matter
    assert wish.of_speech is (said in SAID)


@pytest.mark.parametrize("said", NO_WISHES)
def test_what_only_sounds_like_a_wish_is_none(said: str) -> None:
    assert off_record.wish_to_forget(said) is None
    assert not off_record.read_wish(said).about
    assert not off_record.read_wish(said).before


@pytest.mark.parametrize(
    ("said", "everything"),
    [
        ("忘掉关于牙医的一切", True),
        ("把我跟你讲过的关于离婚的事全忘掉", True),
        ("忘掉我说过的关于首都机场的事", False),
        ("給料について話したことは全部忘れて", True),
        ("京都の話は忘れて", False),
    ],
)
def test_only_who_says_so_asks_for_everything(said: str, everything: bool) -> None:
    wish = named_wish(said)
    assert wish is not None
    assert wish.everything is everything


@pytest.mark.parametrize(
    ("said", "rest"),
    [
        ("谢谢。牙医的事就算了。接下来改解析器", "谢谢。\n接下来改解析器"),
        ("忘掉牙医的事，因为他退休了", ""),
        ("忘掉我说的关于Redis的话，我们现在用Valkey", "我们现在用Valkey"),
        ("歯医者の件は忘れて、もう行かないから", ""),
        ("ありがとう。歯医者の件は忘れて。次はパーサー", "ありがとう。\n次はパーサー"),
    ],
)
def test_what_is_said_with_a_wish_is_left(said: str, rest: str) -> None:
    wish = named_wish(said)
    assert wish is not None
    assert wish.rest == rest


@pytest.mark.parametrize("said", SAID)
def test_what_the_user_said_of_the_matter_is_not_kept(said: str) -> None:
    wish = off_record.read_wish(said)
    assert wish.about
    assert not wish.before


@pytest.mark.parametrize(
    ("told", "other", "said"),
    [
        ("我的牙医姓韦伯", "我周二下午要开会", "请忘掉我说的关于牙医的话"),
        ("里斯本的旅行在五月", "行李箱在本地买", "谢谢，忘掉我说过的关于里斯本旅行的事吧"),
        ("歯医者は火曜日の3時", "会議は火曜日の4時", "歯医者について言ったことは忘れてください"),
        ("家賃は8万円", "家の鍵を替えた", "家賃の件、さっき言ったことは忘れて"),
    ],
)
def test_only_turns_about_the_matter_are_not_kept(told: str, other: str, said: str) -> None:
    turns = [Turn("user", told), Turn("user", other), Turn("user", said)]
    assert [bool(mark) for mark in off_record.marks(turns)] == [True, False, True]


@pytest.mark.parametrize(
    ("said", "taken_back"),
    [
        ("请忘掉我刚才说的话", True),
        ("我剛才說的話忘了吧", True),
        ("别忘了我刚才说的话", False),
        ("さっき言ったことは忘れて", True),
        ("さっき言ったことは忘れないで", False),
        ("さっき言ったことは忘れてはいけない", False),
    ],
)
def test_the_turn_before_is_taken_back_only_if_no_matter_is_named(
    said: str, taken_back: bool
) -> None:
    assert off_record.read_wish(said).before is taken_back


WORDING = "commonplace.language.vocabulary.eastern_forget_wishes"
READ = (
    "import sys; from commonplace.rules.talk import off_record as o; o.wish_to_forget(sys.argv[1]);"
)


@pytest.mark.parametrize("said", ["请修复登录页面的测试", "ログイン画面のテストを直して", "Fix it"])
def test_hardly_a_prompt_pays_for_reading_these_wishes(said: str) -> None:
    code = f"{READ} assert not {{'re', '{WORDING}'}} & {{*sys.modules}}"
    subprocess.run([sys.executable, "-c", code, said], check=True)


def test_a_wish_in_latin_script_does_without_the_words_of_others() -> None:
    code = f"{READ} assert '{WORDING}' not in sys.modules; assert 're' in sys.modules"
    subprocess.run([sys.executable, "-c", code, "vergiss das mit dem Bäcker"], check=True)


SPOKEN = [(*one, True) for one in EASTERN.said]
UNSPOKEN = [
    (*one, False) for kind in (EASTERN.noted, EASTERN.named, EASTERN.let_go) for one in kind
]


@pytest.mark.parametrize(("own", "phrase", "spoken"), SPOKEN + UNSPOKEN)
def test_every_choice_of_a_phrase_has_a_piece_that_is_looked_for_first(
    own: str, phrase: str, spoken: bool
) -> None:
    pieces = [one.translate(EASTERN.signs) for one in vocabulary.MATTER_PIECES]
    of_speech = [one.translate(EASTERN.signs) for one in vocabulary.SPEECH_PIECES]
    for form in shortest_forms(phrase):
        assert any(piece in form for piece in pieces), form
        assert any(piece in form for piece in own.split("|")), form
        assert not spoken or any(piece in form for piece in of_speech), form


def shortest_forms(phrase: str) -> list[str]:
    """Texts that a phrase stands for, without what may be left out, with every choice once."""
    while (shorter := re.sub(r"\[[^\[\]]*\]", "", phrase)) != phrase:
        phrase = shorter
    forms: list[str] = []
    for number in range(phrase.count("|") + 1):
        form = phrase
        while inner := re.search(r"\(([^()]*)\)", form):
            choices = inner[1].split("|")
            form = form[: inner.start()] + choices[number % len(choices)] + form[inner.end() :]
        forms.append(form)
    return forms
