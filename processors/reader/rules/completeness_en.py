"""What makes an English statement whole: one sentence, each verb with what it is done to, nothing compared with what is
not there, no saying, and nothing that is over tomorrow.

Sentences are still in the first person here, as in `self_contained_en`. A value of a field is not asked: it is its own.
"""

from __future__ import annotations

import re

from processors.reader.rules.known_things_en import is_known_by_the_talk
from processors.reader.rules.momentary_en import is_of_now, is_of_the_talk
from processors.reader.rules.others import KIN_EN
from processors.reader.rules.words_en import alternatives

_I = r"(?:I|we|(?:my|our) (?:[\w'-]+ )?[\w'-]+)"
_THING = alternatives("named_in_talk")

_NO_SUBJECT = re.compile(rf"(?:{alternatives('no_subjects')})\b", re.I)
"""Begins like a name, and joins, doubts or speaks of all: "Maybe I", "Considering I", "Most people like me"."""
_ANSWERS = re.compile(rf"(?:{alternatives('opens_an_answer')})\b", re.I)
_PREDICATE_BEFORE = re.compile(
    rf"{_I} (?:do|does|did|can|will)(?:n't| not)?"
    r" (?:with|every|sometimes|once|when|if|but|too|so|as|because|since|until)\b"
    rf"|{_I} (?:\w+ )?(?:have|has|had|need|want|wanted|going|used) to"
    r"(?:$| ?(?:[-\u2013\u2014]|,|;)| (?:because|so|but|when|as a|before|until|in the|back|once|every)\b)"
    rf"|{_I} (?:would )?(?:love|like|prefer|hope|plan|try) to$"
    rf"|{_I} did$",
    re.I,
)
"""The verb is in the turn before: "I do with my nephew"."""
_BARE_NEED = re.compile(r"(?:I|we) (?:[a-z]+ly |just |also |then )*(?:have to|had to|must|need to) [a-z]+$", re.I)
"""I need to diet: for how long, and whether it is done, nobody knows."""
_PREDICATE_ANSWERS = re.compile(
    rf"{_I} (?:\w+ly )?(?:am|are|was|do|does|did|have|has|can|will|would)(?:n't| not)?"
    r"(?:,| (?:and|even though|though|although|but|which)\b)"
    rf"|{_I} (?:\w+ly )?will (?:at|in|on) ",
    re.I,
)
_HERE_AND_NOW = re.compile(
    r"(?:I|we) (?:[a-z]+ly |just |also |then )*(?:will|shall)\b(?!.*(?:\d|\w+days?\b|\b(?:always|never|no longer"
    r"|any ?more|next|each|every|this (?:year|month|week|weekend|spring|summer|autumn|fall|winter)|years?|months?"
    r"|weeks?|january|february|march|april|june|july|august|september|october|november|december|spring|summer"
    r"|autumn|winter|christmas|easter)\b))"
    r"|(?:I|we) (?:[a-z]+ly |just |also |then )*(?:have to|must|need to|has to|have got to) [a-z]+"
    r"(?: (?:up|out|off|away|over|a lot|a bit|more|now|soon))*(?:$|,)"
    r"|(?:I|we) (?:just |really |also )*(?:have to|must|need to|had better|better|should) (?:go|get|run|leave|head|pick"
    r" up|feed|make)(?: (?!(?:by|on|every|each|until|before|after|next|a|an|married|divorced|surgery"
    r"|rid|[a-z]+ed)\b)[\w'-]+){0,3}"
    r"(?:$|,| (?:and|but|so)\b)"
    r"|(?:I|we) (?:\w+ly )?(?:am going to|are going to|want to|could|nearly) (?:be sick|die|cry|scream|faint|explode"
    r"|throw up|vomit|laugh|kill|murder)\b"
    r"|(?:I|we) (?:would )?(?:like|love|want) to see (?:what|how|if|whether|who|which)\b"
    r"|(?:I|we) (?:hope|wish) (?!to\b)"
    r"|(?:I|we) (?:would )?(?:\w+ )?(?:like|love|want) to see (?:some(?:one|body|thing)?|people|more|it|them"
    r"|that|another|an?)\b(?!.*\b(?:my|our)\b)"
    r"|(?:I|we) (?:am|was|are|were) (?:so |really |very |\w+ly )?(?:sad|happy|glad|surprised|shocked|upset|disappointed"
    r"|amazed|relieved) to (?:see|hear|learn|find|read|know|discover)\b(?!.*\b(?:my|our)\b)"
    r"|(?:I|we) (?:have |had )?never even (?:seen|heard|known|thought)\b|(?:I|we) (?:could|would)n't have\b",
    re.I,
)
"""An offer or a resolve of the talk ("I'll get it", "I have to read"), not a plan: it names no time and nobody;
what nobody plans ("I'm going to cry"); what one wishes of the world."""
_NO_MAIN = re.compile(
    r"(?:because of|due to|thanks to|despite) (?!.*(?:,|\b(?:I|we|he|she|they) [a-z]|\b(?:my|our) [a-z]+ (?:is|was"
    r"|has|had)\b))|"
    r"(?:(?:last|this|every|each|one) \w+ )?(?:since|when|while|as|after|before|until|once) (?:my|our|I|we|the) "
    r"(?!.*(?:,|\b(?:I|we|he|she|they|it) (?!to\b)"
    r"|\b(?:my|our) (?:[\w'-]+ ){1,2}(?:is|are|was|were|has|have|had|will|can|[a-z]+ed|[a-z]+[^s\W]s)\b))",
    re.I,
)
"""A clause without the one that it belongs to."""
_OF_ALL = re.compile(
    r"we (?:women|men|humans|people|girls|guys|kids)\b|we (?:can|cannot|can't|must|should|shall)\b"
    r"(?!.*(?:\b(?:any ?more|any longer|since|till?|until|on \w+days?)\b|\d))"
    r"|we (?:(?:have |had )?never (?:had|won|went|did|got|saw|[a-z]+ed)|(?:did|have|had)(?:n't| not) (?!got\b))\b"
    r"(?!.*\b(?:since|until|any ?more|any longer|yet|for|my|our|[a-z]+days?)\b)",
    re.I,
)
"""What is possible or due, or has not been done, is said of a side or everybody with whom the speaker counts."""
_LEFT_OPEN = re.compile(
    rf"^{_I} (?:do|does|did)(?:n't| not)? (?:in|at|for|on|back|last)\b"
    rf"|^(?:I|we) (?:am|was|are|were|used to be|have been) (?:not )?(?:(?:really|quite|much of) )?an? "
    rf"(?:(?:{alternatives('how_much')}) )?"
    rf"(?:{alternatives('of_what')})(?: myself)?$"
    rf"|\b(?:want|wanted|need|going|would (?:love|like)|plan|hope) to (?:{alternatives('asks_for_more')})"
    r"(?: (?:sometime|someday|one day|again|too|more))?$"
    r"|^(?:I|we) (?:am|was|are|were) (?:\w+ly )?(?:no|not (?:an? )?)(?: ?[\w-]+){0,2} ?(?:experts?|pros?|genius"
    r"|saint|material)$"
    r"|^(?!.*(?:\d|\b(?:when|after|before|left|moved|died|graduat\w+)\b)).*\b(?:until|till|by|since) then$"
    r"|\b(?:keep|keeping|kept|caught|catch) up$|\b(?:was|were|am|are)(?:n't| not) (?:coming|going)(?=$|,)"
    r"|\bdo(?:es|ne)? (?:an?|one|two|\d) (?:hour|day|minute|week)s?\b"
    r"|\b(?:see|do|try|watch|be|meet|play|like|love|want) one$|\b(?:to|of|with) (?:some|many|most|several|a few),"
    r"|\b(?:met|seen|saw|have|had|watched|read|tried|know|knew|got|like|liked|loved|bought|made) "
    r"(?:so |too |quite )?(?:many|several|some|a few|lots|plenty|a couple|none|all|both)$"
    r"|^(?:I|we) (?:\w+ly )?(?:have|had) (?:some|a few|many|lots of|a lot of|good|great|close) friends$"
    r"|^(?:I|we) (?:\w+ly )?have (?:an?|some|the|this|a few) (?:\w+ )?(?:problem|issue|question|idea|point"
    r"|thought|story)s?$"
    r"|^(?:I|we) (?:am|was) the (?!(?:oldest|youngest|eldest)$)(?:(?:perfect|best|only|worst) )?[a-z]+$"
    rf"|^(?:I|we) have (?:(?:very|so|too) [a-z]+|{alternatives('had_of_what')})$"
    r"|\bthe (?:original|sequel|prequel|remake)$"
    r"|\b(?:over|about|with) (?:something|someone)(?: \w+)?$"
    r"|^(?:my|our) [\w' -]{3,30} (?:is|are|was|were)(?:n't| not)? (?:the|an?|my) (?:main |only |real |big )?"
    r"(?:issue|problem|point|question|reason|case|thing)$"
    r"|\bthe (?:rest|others?)$|^(?:(?:I|we) (?:am|are|was|were)|(?:my|our) [\w' -]{2,30} (?:is|are|was"
    r"|were))(?: not|n't)? "
    r"(?:\w+ly |so |very |really |quite |too |a bit )?"
    r"(?:indifferent|decent|alright|tired|exhausted|hungry|certain|equipped|prepared|interested|involved|aware|familiar|jealous|ready|done|finished|right|wrong|different|serious"
    r"|curious|confused|unsure|undecided|torn)$"
    r"|\b(?:my|our) team(?: (?:closely|a lot|all the time|too))?$"
    r"|\b(?:something|anything|everything)(?: like that| else)?$"
    rf"|\b(?:am|is|are|was|were) (?:(?:much|way|far|a lot|a bit|even) )?(?:{alternatives('than_what')})$",
    re.I,
)
"""What it is of, for or more than stands elsewhere: "I am a subscriber", "I would love to go"."""
_NAMED_BY_ANOTHER = re.compile(
    r"\b(?:am|is|are|was|were)(?:n't| not)? (?:(?:much|way|far|a lot|a bit|even|any) )?"
    rf"(?:{alternatives('than_what')})$"
    r"|\b(?:(?:is|are)n't|not) (?:much|any) better$"
    rf"|^(?:I|we) (?:am|was|are|were) (?:not )?(?:\w+ly )?(?:an? )?(?:(?:{alternatives('how_much')}) )?"
    rf"(?:{alternatives('of_what')})(?:,| because| but| so| since)"
    r"|^(?:I|we) (?:\w+ )?have (?:an?|any) (?:subscription|account|membership)\b(?! (?:with|to|at|of|for|on)\b)"
    r"|\b(?:some|all|few|many|most|every|several|old|new|recent|other|both|more|seen|watched|missed) "
    r"(?:old |new |of the |\w+ )?(?:episode|season|chapter|rerun|sequel)s?\b(?! (?:of|in|on|from(?! time))\b)"
    r"|\b(?:I|we) (?:am|was|are|were) one\b(?! of\b)|\bwas one (?:in|at|too|for)\b"
    r"|\bfavou?rite are\b"
    r"|\bthe (?:original|first|last|orig\w+) (?:\d|two|three|four)\b(?! [a-z]+s\b)"
    r"|\b(?:don't|do not|never) (?:really |even )?(?:have|had) an? favou?rite\b",
    re.I,
)
"""Somebody else may have named it: "I have a subscription", "I don't have a favourite"."""
_CUT_OFF = re.compile(
    r"\bas [a-z]+ as (?:I|we) would$|\bnot as [a-z]+$|\bbut (?:the|my|our|an?) [a-z]+$"
    r"|\b(?:is|was|are|were|do|does|did|has|have|ca|could|would|wo)n't$"
    r"|^(?:I|we) (?:really |also )?(?:like|love|prefer|want)d? (?:more|better|less)\b"
    r"|^(?:I|we) (?:\w+ly )?(?:am|was|were) (?:really |truly )?(?:dead|alright|all right)$"
    r"|^(?:I|we) (?:am|was|are|were) like [a-z]+ing\b|(?:\bnot|n't) even [a-z]+$"
    r"|^(?:I|we) (?:[a-z]+ly )?(?:like|love|enjoy|prefer|hate)d? (?:to (?:watch|see)|watching|seeing)"
    r"(?: [a-z]+ly| sometimes| a lot)*$"
    r"|^(?:I|we) (?:[a-z]+ly |just |still )?(?:(?:like|love|enjoy|hate|miss)d?|can't (?:face|stand|bear))"
    rf" the (?!(?:{alternatives('known_to_all')})$)[a-z]+(?<!s)$",
    re.I,
)
"""A comparison, a negation or a taste without what it is of; a lower-case plural ("the vikings") may be a club."""
_NO_OBJECT = re.compile(
    rf"{_I} (?:[a-z]+ly |used to |do |did |have |had |has |also |still |never |always |just |even |don't "
    rf"|didn't |do not )*"
    rf"(?:{alternatives('need_an_object')})"
    rf"(?: (?:{alternatives('of_no_object')}|(?:every|each) [a-z]+|on [a-z]+days?|all day|[a-z]+ly"
    r"|(?:before|after|during|until) (?:my |the )?[a-z]+(?: [a-z]+)?"
    r"|when (?:I|we) (?:was|were) .{1,40}|as an? (?:kid|child|teen|boy|girl)))*$",
    re.I,
)
_COMPARED = re.compile(
    r"\bsimilar\b(?!.*\b(?:between|both|each|as)\b)(?!(?: \w+)? to\b)"
    r"|\b(?:regardless|(?<!or )otherwise|elsewhere|instead|either way|as such|likewise|in turn|for so long)$"
    r"|^(?:I|we) (?:am|are|was|were) (?:just |really )?so [a-z]+(?: and [a-z]+)?"
    r"(?:$| that I want\b| (?:every|no)thing\b| (?:that )?(?:I|we) (?:could|can|might)\b)"
    r"|\bone (?:very|so|too|much) \w+"
    r"|^another\b",
    re.I,
)
"""Compared or counted with what is not there."""
_OF_THE_TALK = re.compile(
    rf"\b(?:all|some|most|any|none|many|few|half) of the (?:{_THING})s\b"
    r"(?! (?:of|in|about|by|from|called|that|who|where)\b)"
    rf"|\bthe (?:original|first|last|latest|new|old|second|next|actual|whole|entire|main|other) (?:{_THING})s?\b"
    r"(?! (?:of|in|about|by|from|called|that|who|where)\b)"
    r"|\b(?:look(?:ing)? for|seek(?:ing)?|want(?:ed)?|need(?:ed)?|ask(?:ed|ing)? for|could use|get(?:ting)?) "
    r"(?:(?:some|any|a bit of|a few|more|your|helpful|good|useful|an?|\w+al) ){0,3}"
    rf"(?:{alternatives('advice')}|(?:help|support)(?! (?:with|for|from|at|around)\b))\b"
    rf"|^the (?:{_THING}|commercial|ad)\b"
    rf"|^(?:I|we) .*\b(?:my|our) (?:[\w-]+ )?favou?rite (?:{_THING}|team|band|player|club)$"
    r"|\bthe same [a-z]+$"
    rf"|^(?:my|our) (?:{alternatives('open_subjects')}) (?:is|was|has|had|are|were)\b",
    re.I,
)
"""Something that only the talk names."""
_DONE = re.compile(
    rf"(?!\w+ (?:have |has |had )?(?:been [a-z]+ing|dropped)\b)"
    rf"(?!(?:I|we) (?:[a-z]+ly |always |also )?(?:loved|liked|enjoyed|hated|adored|preferred) "
    rf"the (?!(?:{alternatives('of_no_kind_before')})\b)[\w-]+ [a-z]+\b)"
    rf"{_I} "
    rf"(?:(?:and others|have|had|has|then|just|also|finally|really|even|did|didn't) ){{0,2}}"
    rf"(?:[a-z]{{2,}}ed|{alternatives('steps')}|heard|lost|won|met|(?<=didn't )\w+)\b",
    re.I,
)
_KNOWN_END = re.compile(rf" the (?:[\w-]+ )?(?:{alternatives('known_to_all')})\b", re.I)
_DEFINITE_END = re.compile(r"\bthe(?: [a-z][\w-]*){1,2}$|\ba (?:\w+ )?(?:answer|reply|response|decision)$")
_GOES_ON = re.compile(r",| but ")
_SHORT = 8
"""Words up to which what was done to "the" something names too little."""
_PARTICULAR = re.compile(
    r"\d|(?<=[a-z,'] )(?!I\b)[A-Z]\w|\b(?:last|next|every|since|ago|yesterday|today|\w+days?|weeks?|months?|years?"
    r"|because|(?:from|for|of|with|to|on|in|by|and) (?:my|our))\b"
)
_ANOTHER_PERSON = re.compile(
    rf"(?:my|our) (?:\w+ )?(?:{KIN_EN})(?: [A-Z]\w+)? (?:(?!(?:and|that|who|because|when)\b)[\w']+ ){{1,4}}(?:her|him)"
    r"(?=$|[,;]| (?:ever|since|because|when|if|for|to|in|on|at|so|and|but|with|about|every|too)\b)",
    re.I,
)
"""Somebody else than the subject: "my daughter wants to train her"."""
_TWO_IN_ONE = re.compile(
    r"\w{2}[.!?][\"\u201d]? (?=[A-Zi])(?<!\b(?:Mr|Ms|Dr|St|vs)\. )(?<!\bMrs\. )(?<! Jr\. )"
    r"|(?<![,;:\u2013\u2014-]) (?<!and )(?<!but )(?<!so )now (?:I|we) (?:am|are|have|feel)\b"
    r"|\b(?!(?:that|what|how|why|because|when|if|and|but|so|or|as|which|where|than|who|while|since|though)\b)"
    r"[a-z]{2,} I (?:also|dont|don't|do not) \w+|--"
    r"|(?<=[a-z]) (?:Has|Have|Had|Is|Are|Was|Were|Does|Did|Not|Then|So|But|Because|They|He|She|We|No|Yes|Also|Even"
    r"|Still|Sometimes|Maybe|Hard) [a-z]"
)
"""Two sentences with nothing between them."""
_BROKEN = re.compile(
    r"\b(?:I|we) (?:is|has|does)\b|\b(?:we|they|I) where\b"
    r"|\b(?:am|was|were|are) (?:also |just )?(?:love|like|want|think|feel|go|have|do|get|hate|need"
    r"|know)\b(?! (?:it\b|that\b)?to you)"
    r"|\band love with\b|\b(?:has|have|had) be\b|^(?:I|we) (?:can't|cannot|couldn't|won't) [A-Z]|^I no [A-Z]"
    r"|\b(?:have|has|had) (?:saw|went|knew|began|wrote|drove|ate)\b|^[Mm]y [\w' -]{2,40}, who [^,]+$"
    r"|\b(?:am|is|was|were|are) (?:problem|issue|(?:[a-z]+ )?(?:man|woman|person|boy|girl))(?=$|[,;]| with\b)"
    r"|\bused to (?:an?|my)\b|^I were\b(?!n't)|\blike to [A-Z]|\w's (?:are|were)\b|[/\\|]$|: (?:me|us)$"
    r"|\b(?:don't|do not|didn't|doesn't|can't|cannot|will|won't) to\b|\b(?:want|need|like) to (?:some|an?|the|my)\b"
    r"|\b(?:the|an?|my|our|and|or|than|very|too)$|^[Oo]ne of (?:my|our) (?:[\w'-]+ )?[\w'-]+s to [a-z]+$"
    r"|\bmyself (?:did|do|does|is|are|was)$"
    r"|^[Oo]ne of (?:my|our|the) (?:\w+ )?\w+s (?:have|are|were|do)\b"
    rf"|^(?:[Mm]y|[Oo]ur) (?:\w+ )?(?:{alternatives('one_relative')}) (?:come|go|say|have|want|like|live|work|need|do"
    r"|don't|are|were)\b"
)
_BEFORE_ONES_OWN = (
    rf"(?:[a-z]+ed|{alternatives('steps', 'did_by_itself', 'does_by_itself')}|in|on|at|of|for|with|by|from|near"
    r"|sent|brought|kept|lost|drove|wrote|paid|taught|caught|built|bought|held|met|cut|hit|hurt|let|set|shut|won"
    r"|to|behind|under|over|outside|inside|above|below|about|than|and|or)"
)
"""Before "my" it opens no clause of its own: "the vet took our cat to Oban", not "the vet our cat knows"."""
_HALF = re.compile(
    rf"^(?:an?|the) (?:(?!{_BEFORE_ONES_OWN}\b)[\w-]+ ){{1,2}}"
    r"(?:my|our) (?:\w+ )?\w+"
    r"(?: (?!(?:is|was|are|were|has|have|had|will|can|when)\b)[\w'-]+)+"
    r"(?: when (?:I|we) (?:was|were)(?: [\w'-]+){1,3})?$"
    r"|\b(?:that|how|because|when|if) (?:by|with|after|before|without) (?:[\w'-]+ ){0,6}[\w'-]+$|\bfound that by\b",
    re.I,
)
"""What was begun: "I found that by being friendly to others first"."""
_UNAWARE = re.compile(
    r"(?:I|we) (?:(?:had|have) no (?:idea|clue)|(?:did not|didn't|do not|don't|never) (?:even )?(?:realize|realise"
    r"|notice)d?|reali[sz]ed? (?:that|how|it))\b",
    re.I,
)
_SAID_TO_ANOTHER = re.compile(
    r"(?:I|we) (?:(?:am|was|are|were)(?:n't| not)? (?:un)?aware (?:until recently )?(?!of my\b)"
    r"|(?:did )?(?:recently |just )*learn(?:ed|t)? that (?!I\b|my\b)"
    r"|(?:am|was) (?:still |just )?(?:guessing|thinking (?!(?:of|about) [a-z]+ing\b))"
    r"|(?:still )?ha(?:ve|d) (?:a feeling|trouble believing)"
    r"|(?:am learning|learn(?:ed|t)) (?:a lot|so much|so many|something|much|all (?:kinds|sorts)|new things)\b"
    r"|tell a lie"
    r"|can't (?:just |help )?(?:stop )?feel(?:ing)?(?:$| (?:the way|like))"
    r"|am (?:not|n't) (?:(?:\w+ly|so|too|even) )?sure|am told (?!(?:that )?(?:I|my|our|we)\b)"
    r"|(?:seen|saw|had|heard) like (?:in|at|on|when))\b",
    re.I,
)
_ASKING = re.compile(r"(?:I|we) (?:am|was|are|were) (?:just |only )?asking (?:because of|out of|for a friend)\b", re.I)
_OPINION = re.compile(
    r"(?!(?:I|we|my|our)\b).*?\b(?:would|could|should|might|must)(?:n't| not)? be\b"
    r"|.*\bto see (?:an?|the|another|some|more) (?:\w+ )?\w+ (?:have|get|win|do|be|go|make|take)\b",
    re.I,
)
"""What somebody thinks of what is not theirs."""
_SAID_SO = re.compile(
    r"(?:I|we) (?:am|are) going to be so\b"
    r"|(?:I|we) (?:just |then |finally |really )?(?:got|get|was|were) (?:so |really |very |pretty |a bit )?"
    r"(?:mad|angry|upset|sad|nervous|bored|scared|annoyed|excited|emotional|hungry|confused|frustrated|jealous)$"
    r"|(?:I|we) (?:am|are|was) (?:still |just |only |all |well )?(?:mom|mum|dad|me|myself|set|stocked|good to go)$|"
    rf"(?:I|we) (?:(?:am|are|have|do|just|really|not) )*(?:{alternatives('sayings')})\b"
    r"|.*\b(?:can't|cannot|couldn't|can not) even\b"
    r"(?! (?:manage|go|get|eat|sleep|afford|work|drive|walk|leave|look after"
    r"|take care of) [a-z])(?!.*\b(?:since|because|for|until|after)\b)",
    re.I,
)
"""Sayings, and what is said more strongly than it is meant."""
_ABOUT_THE_TALK = re.compile(
    rf"(?:I|we)(?: would|'d)? (?:\w+ ){{0,3}}?(?:to|will) (?:have to )?(?:{alternatives('said_of_the_talk')})\b", re.I
)
"""What one is going to do about what is being talked of."""


_MISREAD = re.compile(
    rf"(?:I|we) (?:just |all |also |still |now )*(?!(?:{alternatives('ends_in_ing')})\b)[a-z]{{2,}}ing\b"
    r"|(?:I|we) (?:have been|am going to be|was|were|am|are) an? "
    r"(?:[a-z]+ ){0,2}(?:night|day|week|month|year|weekend)"
    r"(?:$|[,;]| (?:in|at|for|with|to|today|and|but|so|because|since|when|though|here)\b)"
    r"|(?:I|we) (?:[a-z]+ly |just |also )*(?:great|things?|then|than)\b"
    r"|(?:I|we) did (?:much|a lot|way|far|even)? ?(?:more|less|better|worse)"
    r"(?:$|[,;]| (?:when|if|back|before|then|than (?:that|this|you))\b)"
    r"|.*\b(?:seen|saw|like|love|liked|loved|tried|had|have|watched|read|played|know"
    r"|do|did) both(?:$|,| and (?:the|it|they)\b)"
    r"|(?:I|we) (?:[a-z]+ly |also |still )*(?:like|love|enjoy|hate)d? [a-z]+ing (?:to|into|from|with|at|for)$"
    r"|(?:[a-z]+(?<!s)s|made|gave|kept|helped|reminded) (?:me|us)\b|(?:I|we) [a-z]+(?:ful|ous|less|ible) "
    r"|.*\b(?:although|though) (?:I|we|they|he|she) \w+$"
    r"|.*\bthat (?:level|kind|sort|amount|type|degree) of\b",
    re.I,
)
"""No predicate of its subject, or one that goes on elsewhere."""


_AMONG_PEOPLE = (
    _ANSWERS, _PREDICATE_ANSWERS, _SAID_TO_ANOTHER, _HERE_AND_NOW, _OF_ALL, _NO_MAIN, _MISREAD,
)  # fmt: skip


def is_whole(text: str, *, in_group: bool = False) -> bool:
    """Is a free statement one whole sentence that says more than the talk of the moment?

    `in_group`: among people much is an answer, an offer, or said of all of them.
    """
    if leaves_open(text, in_group=in_group):
        return False
    if any(p.search(text) for p in (_COMPARED, _OF_THE_TALK, _TWO_IN_ONE, _BROKEN, _HALF)):
        return False
    if any(
        p.match(text)
        for p in (
            _NO_SUBJECT,
            _PREDICATE_BEFORE,
            _NO_OBJECT,
            _ANOTHER_PERSON,
            _UNAWARE,
            _OPINION,
            _SAID_SO,
            _BARE_NEED,
            _ASKING,
        )
    ):
        return False
    if in_group and (
        is_of_the_talk(text) or is_known_by_the_talk(text) or any(p.match(text) for p in _AMONG_PEOPLE)
    ):
        return False
    return not is_of_now(text) and _ABOUT_THE_TALK.match(text) is None and not _done_to_the_unnamed(text)


def leaves_open(text: str, *, in_group: bool = False) -> bool:
    """Does what it is of, for or more than stand elsewhere?"""
    if _LEFT_OPEN.search(text) is not None:
        return True
    return in_group and (_CUT_OFF.search(text) is not None or _NAMED_BY_ANOTHER.search(text) is not None)


def _done_to_the_unnamed(text: str) -> bool:
    """Is this a thing that was done once to something that only the talk names: "I talked to the professor"?"""
    head = _GOES_ON.split(text, maxsplit=1)[0]
    if len(head.split()) > _SHORT or _DONE.match(head) is None or _DEFINITE_END.search(head) is None:
        return False
    return _KNOWN_END.search(head) is None and _PARTICULAR.search(text) is None
