"""English words that carry little by themselves in talk: function words, praise, thanks, general verbs and nouns.

What remains of a sentence is what it is about; used to tell informative sentences from chat.
"""

from __future__ import annotations

_FUNCTION = """
    a about above after again against all almost along already also although always am among an and another any anybody
    anyone anything anyway are aren't around as at away back be became because become been before behind being below
    between both but by can can't cannot could couldn't did didn't do does doesn't doing don't done down during each
    either else enough etc even ever every everybody everyone everything far few first for from further get gets
    getting go goes going gone got gotta gonna had hadn't has hasn't have haven't having he he'd he'll he's her here
    here's hers herself him himself his how how's however i i'd i'll i'm i've if in instead into is isn't it it'd
    it'll it's its itself just keep last later least less let let's like lot lots made make makes making many may
    maybe me might mine more most much must my myself near never new next no nobody none nor not nothing now of off
    often on once one ones only onto or other others our ours ourselves out over own past per perhaps put quite rather
    same say says see seem seems shall she she'd she'll she's should shouldn't since so some somebody someone something
    sometimes somewhere soon still such take takes taking than that that'd that'll that's the their theirs them
    themselves then there there's these they they'd they'll they're they've thing things this those though through
    thus till to together too toward towards under until up upon us use used using usually very via was wasn't way we
    we'd we'll we're we've well went were weren't what what's whatever when whenever where where's wherever whether
    which while who who's whoever whole whom whose why will with within without won't would wouldn't yet you you'd
    you'll you're you've your yours yourself yourselves two three
"""
_CHAT = """
    indeed
    absolutely actually agree ah amazing appreciate appreciated aw awesome aww awww bad basically beautiful believe
    best better big bit bless bring brings bye care check cheers chat come comes coming cool cute cya day days
    definitely deserve easy enjoy enjoyed enjoying especially exactly excited exciting fantastic feel feeling feelings
    feels felt fine forward friend friends fun funny gave give gives giving glad god good gorgeous gosh great guess
    guys haha happy hard hear hearing heard hello help helped helpful helping helps hey hi hmm honest honestly hope
    hoping huge idea imagine important incredible inspire inspired inspiring inspiration interesting job journey keep
    kind kinda knew know lately life likewise literally little live lol long look looked looking looks love loved
    lovely luck lucky man matter mean means meaningful moment moments motivated name neat need nice night no nope oh
    ok okay omg okey people perfect place please pleasure point positive possible pretty probably proud really
    reckon remember reminder right role rock sad said sake seeing seen sense share shared sharing show shows sound
    sounds special start story stay stuff super support supportive supporting sure sweet talk talking tell telling
    terrific thank thanks think thinking thought thoughts time times today told tomorrow tonight took totally touch
    tough treasure true truly try trying type understand used useful vibe vibes wait wanna want wanted wants watch
    week wish wonder wonderful wondering word words work works world worth wow xoxo yay yeah year years yep yes yup
    buddy dude pal mate awful terrible sorry congrats congratulations brilliant fab fabulous impressive impressed
    delightful glow keepin lookin rest rooting cheering whenever hang tight energy spirit joy happiness strength
    strong courage peaceful relaxing calm chill lovely powerful magical pumped stoked thrilled grateful thankful
    blessed honored encourage encouragement encouraging passion passionate dream dreams goal goals proud achieve
    achievement makes impact difference memories memory experience experiences part side end top kinds sort sorts
    real super extra whole hold follow open found find finding finally
"""

FUNCTION: frozenset[str] = frozenset(_FUNCTION.split())
CHAT: frozenset[str] = frozenset(_CHAT.split())
