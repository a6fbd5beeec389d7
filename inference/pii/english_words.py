"""Word lists of the English name rules, all lower case."""

from inference.pii.labels import labels

_TITLES = """
mr mrs ms mx miss dr prof professor sir madam mister doctor uncle aunt auntie grandpa grandma cousin nurse
"""
_LABELS = """
name phone address email e-mail tel mobile fax city country title company date subject
"""
_PARTICLES = """
van von der den de da di du del della dos bin ibn ben al el la le ter ten zu af av mac mc st
"""
_COMPANY = """
inc ltd llc corp corporation company co group gmbh plc associates partners university college school hospital
bank institute foundation office hotel restaurant museum church airport station stadium theatre theater center
centre incorporated investments holdings solutions technologies systems services capital union park bridge
river lake mountain island beach street str st avenue ave road rd boulevard blvd lane drive court square plaza
place way highway islands county city state award prize cup day weekend research orchestra consulting ventures
media labs software industries international club agency bureau society academy trail turnpike
freight logistics foods motors airlines airways insurance pharmaceuticals electronics telecom energy bakery brewery
coves crossing crossroad expressway freeway gateway terrace throughway viaduct motorway underpass overpass parkway
circle junction skyway alley causeway bypass republic
"""
_COMMON = """
turkey china us uk guinea panama jordan chad jersey bermuda
"""
_UNITS = """
apartment apt suite ste unit floor box psc phone email tel mobile name address
"""
_ADDRESSED = """
princess prince king queen baby love honey angel darling lady duke baron earl general major captain bishop
"""
_OTHERWISE = """
monday tuesday wednesday thursday friday saturday sunday january february march april may june july august
september october november december sep nan mon tue wed thu fri sat jan feb mar apr jun jul aug oct nov dec
christmas easter english french german spanish italian chinese japanese korean russian arabic hindi latin
america american europe africa asia australia austria england britain france germany india china japan israel
ireland scotland italy spain kenya cuba egypt syria jordan georgia chad cyprus malta panama london paris
berlin milan rome roma vienna geneva lisbon madrid york boston chicago atlanta dallas houston denver austin
phoenix orlando brooklyn manhattan hollywood washington california texas florida virginia carolina arizona
montana dakota nevada alaska columbia francisco diego angeles jose jersey santiago lima sydney melbourne
victoria adelaide perth queensland ontario alberta quebec toronto vancouver san santa los las new north south
east west saint mac siri alexa facebook google amazon apple tesla mercedes benz porsche ferrari ford buick
renault internet math god lord jesus christ mom dad mum mama papa granny covid unnamed contractor lang dev
mother father brother
"""
_PLAIN_GIVEN = """
aliyah amber angelica barney billy bob bobby brad carly carol chuck charlie chester colleen daisy dale dean
deb derrick dolores drew eddy elmer frances frank fred garret glen graham grant hank harry heather hector
holly ivy jack james jared jasmine jasper jay jean jenny jimmy joey john johnny josh ken kitty lance lee lily
maria margarita marina mark martin marge mick mickey mike miles milly molly nelson nick niles noel oliver
patsy patty penny peter phoebe polly randy ray rick rob robin roger rosemary rosy ruby sally sandy sheila
sherry sienna sonny sue ted teddy terry tilly timothy tom tony tucker veronica victor viola violet wally
warren wes woody
"""
_ALWAYS_GIVEN = """
aliyah bobby billy brad colleen derrick fred graham jared james jenny jimmy john johnny josh maria martin
oliver peter phoebe sheila ted teddy timothy tony veronica
"""
_OPENERS = """
congrats glad wow yay yeah yep nope hmm awesome cheers aww haha hahaha lol ugh btw omg thx hiya yo gosh whoa
ouch oops bye goodnight sweet cool nice great thanks okay ok sure totally absolutely
"""

_THINGS = """
api apis json xml yaml toml csv html css http https sql ssh dns vpn cpu gpu ram ssd usb led gps url uri pdf png jpeg svg
ui ux qa ci cd ip tcp udp tls ssl jwt oauth rest grpc graphql get post put patch delete head options crud orm sdk cli
ide ok asap fyi todo faq eta mib oid pr prs sla slo kpi edi gdp cpi
python redis kafka postgres postgresql kubernetes docker linux ubuntu debian java javascript typescript rust golang
kotlin django flask nginx bash numpy pandas pytorch tensorflow terraform ansible jenkins grafana prometheus
elasticsearch sqlite mongodb hadoop webpack npm vim emacs bluetooth wifi mysqldump pgbouncer rabbitmq celery
fastapi graphql haskell scala fortran cobol perl wordpress drupal matlab latex cron systemd curl
"""
_OPENS_OBJECT = """
it this that these those them the a an as my our your his her their its all each every per any some both if when how
where what
"""
_OF_FOOD = """
salad soil tea soup hat beans pie cake cookies sauce cheese dressing cocktail beer wine bread stone leaf leaves bush
root oil juice syrup jam chips sprouts sausage mustard rice noodles pepper lettuce pudding loafers font
nut nuts shorts
"""

TITLES: frozenset[str] = frozenset(_TITLES.split())
"""Stand before a name."""
LABELS: frozenset[str] = frozenset(_LABELS.split())
"""Names of fields, not of people."""
PARTICLES: frozenset[str] = frozenset(_PARTICLES.split())
"""Stand inside a name, in small letters."""
COMPANY: frozenset[str] = frozenset(_COMPANY.split())
"""End the name of a firm, an institution or a place."""
COMMON: frozenset[str] = frozenset(_COMMON.split())
"""Countries that are ordinary words in small letters."""
UNITS: frozenset[str] = frozenset(_UNITS.split())
"""Parts of an address or a card that no name goes on over."""
ADDRESSED: frozenset[str] = frozenset(_ADDRESSED.split())
"""Given names that are as often ranks or endearments."""
OTHERWISE: frozenset[str] = frozenset(_OTHERWISE.split())
"""Capitalised words that are names elsewhere: the calendar, tongues, brands, and places that are given names too."""
PLAIN_GIVEN: frozenset[str] = frozenset(_PLAIN_GIVEN.split())
"""Words too, but with a capital far more often given names."""
ALWAYS_GIVEN: frozenset[str] = frozenset(_ALWAYS_GIVEN.split())
"""Of those, the ones that are hardly words at all, in small letters either."""
OPENERS: frozenset[str] = frozenset(_OPENERS.split())
"""Open a chat message, and are no entity whatever a network thinks."""
THINGS: frozenset[str] = frozenset((*_THINGS.split(), *labels("database_name")))
"""Abbreviations, languages and programs of computing, which a network takes for firms, people and places."""
OPENS_OBJECT: frozenset[str] = frozenset(_OPENS_OBJECT.split())
"""Behind the first word of a sentence these say that it is a verb ("Mark it", "Chase the invoice")."""
OF_FOOD: frozenset[str] = frozenset(_OF_FOOD.split())
"""Behind a name these say that it is a kind of food or cloth ("Lima beans")."""
