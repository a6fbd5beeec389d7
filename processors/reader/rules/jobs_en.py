"""Which English nouns are occupations: "I'm a teacher" says what somebody does, "I'm a heavy sleeper" does not."""

from __future__ import annotations

import re

_JOBS = """
    accountant actor actress administrator adviser advisor agent analyst animator architect artist assistant astronaut
    athlete attorney au-pair auditor author babysitter baker banker barber barista barrister bartender biologist
    blogger bookkeeper boxer brewer broadcaster broker builder businessman businesswoman butcher buyer carer caretaker
    caregiver carpenter cashier ceo chauffeur chef chemist chiropractor cleaner clerk coach columnist comedian composer
    conductor consultant contractor controller cook coordinator counselor counsellor courier cto curator custodian
    dancer dealer dentist designer detective developer dietician dietitian diplomat director diver dj doctor dressmaker
    driver drummer economist editor educator electrician embroiderer engineer entertainer entrepreneur examiner
    executive farmer filmmaker firefighter fireman fisherman florist footballer founder co-founder freelancer fundraiser
    gardener geologist glazier guard guide hairdresser handyman historian host housekeeper housewife hygienist
    illustrator influencer inspector installer instructor interpreter intern inventor investigator investor janitor
    jeweler jeweller jockey journalist judge laborer labourer landscaper lawyer lecturer librarian lifeguard linguist
    lobbyist locksmith logger machinist magician maid manager marketer mason masseur mathematician mechanic miner
    minister model monk musician nanny novelist nun nurse nutritionist officer operator optician optometrist organizer
    organiser painter paralegal paramedic pastor pathologist performer pharmacist philosopher physician physicist
    pianist pilot plasterer plumber podcaster poet policeman policewoman politician porter potter preacher presenter
    priest principal producer professor programmer prosecutor psychiatrist psychologist psychotherapist publisher
    rabbi ranger rapper realtor receptionist recruiter referee registrar reporter representative researcher retailer
    roofer sailor salesman salesperson saleswoman scientist sculptor seamstress secretary seller shepherd singer
    skipper sociologist soldier solicitor specialist statistician steward stewardess stockbroker streamer strategist
    student stylist supervisor surgeon surveyor tailor teacher technician teller tester therapist trader trainer
    trainee translator treasurer trucker tutor undertaker undergraduate undersecretary vet veterinarian vlogger
    violinist guitarist cellist waiter waitress warden watchmaker weaver welder winemaker worker wrestler youtuber
    zookeeper stonemason anesthesiologist anaesthetist cardiologist dermatologist radiologist neurologist oncologist
    gynecologist urologist pediatrician paediatrician obstetrician midwife orthodontist phlebotomist pharmacologist
    meteorologist archaeologist anthropologist astronomer botanist zoologist geographer ecologist cartoonist
    beautician cosmetologist auctioneer cameraman announcer foreman landlord publicist columnist copyist
    retired unemployed self-employed
"""
_KINDS = re.compile(
    r"[a-z-]{2,20}(?:grapher|writer|keeper|maker|smith|worker|ologist|engineer|manager|programmer|developer|trainer"
    r"|teacher|fighter)$"
)
_NO_KIND = re.compile(
    r"(?:timekeeper|peacekeeper|goalkeeper|scorekeeper|co-?worker|hard-worker|troublemaker|matchmaker|moneymaker"
    r"|bookmaker|homemaker)$"
)
NOT_SO = re.compile(
    r"\b(?:aspiring|wannabe|would-be|future|amateur|hobby|former|ex|born|natural|terrible|bad|good|great|awful|decent|slow"
    r"|fast|careful|nervous|heavy|keen|avid|hard|quick|first-time|frequent|bit|better|huge|big|little|role|not)\b",
    re.I,
)
_OF_KIND = re.compile(r"[,\s]+(?:turned|and|slash|by|in|at|for|of|with|who|on)\s", re.I)
JOBS = frozenset(_JOBS.split())


def is_job(words: str) -> bool:
    """Is a noun phrase behind "I'm a" what somebody does for a living?"""
    if words == "between jobs":
        return True
    head = _OF_KIND.split(words.strip(), maxsplit=1)[0].split(" ")[-1].lower().strip(",.")
    named = head in JOBS or (_KINDS.fullmatch(head) is not None and _NO_KIND.fullmatch(head) is None)
    return named and NOT_SO.search(words) is None


def names_job(words: str) -> bool:
    """Does what a job is said to be name it: a nurse, nursing, not "stressful"?"""
    phrase = words.strip(" ,.")
    *_, last = phrase.lower().split(" ")
    stem = last.removesuffix("ing")
    of_it = last.endswith("ing") and not {stem, f"{stem}e", f"{stem}er", f"{stem}or"}.isdisjoint(JOBS)
    return is_job(phrase) or (of_it and NOT_SO.search(phrase) is None)
