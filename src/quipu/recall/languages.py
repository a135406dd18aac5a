"""Language of a text, told by its smallest words.

Each list holds the commonest function words of a language (our own selection). They serve twice:
they are skipped when a text is indexed, and their number tells the languages apart.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from types import MappingProxyType

DEFAULT = "english"

_WORDS = {
    "english": (
        "a about above after again all also am an and any are as at be because been before being "
        "below between both but by can could did do does doing don down during each few for from "
        "further had has have having he her here hers herself him himself his how i if in into is isn "
        "it its itself just let ll me more most my myself no nor not now of off on once only or other "
        "our ours ourselves out over own re s same she should so some such t than that the their "
        "theirs them themselves then there these they this those through to too under until up ve "
        "very was we were what when where which while who whom why will with would you your yours "
        "yourself yourselves d m tell ever didn doesn wasn weren aren couldn wouldn won haven hasn "
        "hadn shouldn"
    ),
    "german": (
        "aber als am an auch auf aus bei bin bis bist da damit das dass dein dem den der des die dir "
        "doch du ein eine einem einen einer eines er es für habe haben hat hatte ich ihm ihn ihr im "
        "in ist ja kann kein keine man mein meine mich mir mit nach nicht noch nur ob oder schon sein "
        "seine sich sie sind so über um und uns unser vom von vor war waren was weil wenn wer wie "
        "wieder wir wird wo wurde zu zum zur wann welche welcher welches"
    ),
    "spanish": (
        "a al algo antes como con cual cuando de del desde donde dos el ella ellos en entre era es "
        "esa ese eso esta estaba este esto estoy fue ha hace hacia hasta hay he la las le les lo los "
        "me mi mis mucho muy más nada ni no nos nosotros o para pero por porque que quien qué se ser "
        "si sin sobre son su sus sí también te tiene tu tus un una uno unos y ya yo cuándo dónde cómo "
        "quién"
    ),
    "french": (
        "ai au aux avec c ce ces cette d dans de des du elle en est et eu il ils j je l la le les "
        "leur lui m ma mais me mes moi mon n ne nos notre nous on ou où par pas pour qu que qui s sa "
        "se ses son sont sur t ta te tes toi ton tu un une vos votre vous y à été être était quand "
        "comment pourquoi quel quelle"
    ),
    "italian": (
        "a ad al alla anche che chi ci come con cosa da dal dalla dei del della di dove e ed era gli "
        "ha hai ho i il in io la le lei lo loro lui ma mi mia mio nei nel nella no noi non o per "
        "perché più quando quanto questa questo se sei si sia sono su sua suo tu un una uno vi voi è "
        "quale"
    ),
    "portuguese": (
        "a ao aos as até com como da das de depois do dos e ela ele eles em entre era essa esse esta "
        "este eu foi há isso isto já lhe mais mas me meu minha muito na nas nem no nos nós não o os "
        "ou para pela pelo por porque qual quando que quem se sem ser seu sua são também te tem um "
        "uma você à é onde"
    ),
    "dutch": (
        "aan als bij dan dat de der deze die dit doen door een en er ge had heb hebben heeft hem het "
        "hij hoe hun ik in is ja je kan maar me mijn niet nog nu of om ons ook op over te tot u uit "
        "van veel voor was wat we wel werd wie wij wil worden zal ze zich zij zijn zo waar wanneer "
        "welke"
    ),
    "swedish": (
        "alla att av blev bli då de dem den det detta dig din du där efter ej eller en er ett från "
        "för ha hade han har hon hur här i icke inte jag ju kan kunde man med men mig min mycket ni "
        "nu när något och om oss på sedan sig sin ska skulle som så till under upp ut var vad varför "
        "vem vi vid är"
    ),
    "danish": (
        "af alle at blev da de dem den der deres det dig din disse du efter eller en er et for fra "
        "ham han har havde hende her hun hvad hvem hvis hvor hvorfor hvornår i ikke ind jeg jo kan "
        "kunne man mange med meget men mig min når og også om op os på selv sig sin skal som så til "
        "ud var ved vi vil"
    ),
    "russian": (
        "а без бы был была были было быть в вам вас весь во вот все всё вы где да для до его ее её "
        "если есть еще ещё же за и из или им их к как когда кто ли мне меня мой моя мы на нам нас не "
        "него нет ни но ну о об он она они от по под при с со так там то только ты у уже что чтобы "
        "это я какой какая почему"
    ),
    "finnish": (
        "ei en että he hän ja jo joka jos kanssa kuin kun kuka me mikä mitä minä minun mutta myös ne "
        "niin nyt oli olen olla on ovat se sen sinä siitä tai te tämä vain voi koska missä milloin"
    ),
    "turkish": (
        "ama bana ben bir biz bu bunu da daha de değil diye en gibi hem her için ile ise kadar ki kim "
        "mi mu ne neden nerede o olarak oldu onu sen siz ve veya ya yok çok şey nasıl zaman"
    ),
}

STOP: Mapping[str, frozenset[str]] = MappingProxyType({k: frozenset(v.split()) for k, v in _WORDS.items()})
KNOWN = tuple(STOP)
_SPEAKING = {
    word: tuple(language for language in KNOWN if word in STOP[language])
    for words in STOP.values()
    for word in words
}


def detect(words: Iterable[str], *, fallback: str = DEFAULT) -> str:
    """Return the language of most function words in ``words`` (lower case); ``fallback`` when unsure.

    Sure means at least three of them, and clearly more than the runner-up has.
    """
    counts = Counter(language for word in words for language in _SPEAKING.get(word, ()))
    (first, best), (_, second) = [*counts.most_common(2), ("", 0), ("", 0)][:2]
    return first if best >= 3 and best >= 1.2 * second else fallback
