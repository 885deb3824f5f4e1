import { type NameType, nameTypes } from './perceptron.js';

/** Evidence for names from lists: what it takes from O, and what it gives to a type, in tenths like all scores. */
export interface Evidence {
  type: NameType | null;
  againstNone: number;
  forType: number;
}

// Strong enough to turn a near decision, not a clear one: decisions of the weights differ by some 15 in the median.
const place: Evidence = { type: 'LOCATION', againstNone: 80, forType: 40 };
const body: Evidence = { type: 'ORGANIZATION', againstNone: 80, forType: 40 };
const givenName: Evidence = { type: 'PERSON', againstNone: 60, forType: 40 };
// "Indian" and "Iraqis" name no place: English writes them with a capital all the same.
const peoples: Evidence = { type: null, againstNone: -100, forType: 0 };

const words = (list: string): string[] =>
  list
    .trim()
    .split(/\s+/)
    .map((word) => word.replaceAll('_', ' '));

const alphabet = Array.from({ length: 26 }, (_, index) => String.fromCharCode(65 + index));
// Also given names or words; unions and reserved codes of CLDR.
const leftOut = new Set(
  words('Chad Jordan Georgia Jersey Turkey Troll Davis Casey Hope Queens Eurozone Easter Wake Midway Eucla Nome'),
);

/** Countries and territories, as this Node's own CLDR data names them in English. */
const countries = (): string[] => {
  const names = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });
  const codes = alphabet.flatMap((first) => alphabet.map((second) => first + second));
  return codes
    .flatMap((code) => names.of(code) ?? [])
    .filter((name) => /^[\p{L} -]+$/u.test(name) && name !== 'Unknown Region');
};

/** Cities that time zones are named for (IANA tz database). */
const zoneCities = (): string[] =>
  Intl.supportedValuesOf('timeZone').flatMap((zone) => {
    const city = /^(?:Africa|America|Asia|Australia|Europe|Pacific)\/([A-Z][A-Za-z_]+)$/.exec(zone)?.[1];
    return city === undefined ? [] : [city.replaceAll('_', ' ')];
  });

const morePlaces = words(`
  England Scotland Wales Britain Great_Britain Korea South_Korea North_Korea Burma Holland Kosovo Palestine U.S. USA U.S.A. US
  UK U.K. Europe Asia Africa America North_America South_America Latin_America Central_America Middle_East Scandinavia
  Czech_Republic Ivory_Coast Soviet_Union USSR Yugoslavia Czechoslovakia United_States_of_America Catalonia Bavaria Siberia
  Kashmir Chechnya Crimea Tibet Gaza West_Bank Kurdistan Quebec Ontario Alberta Manitoba Saskatchewan British_Columbia
  Nova_Scotia Newfoundland New_Brunswick Queensland Tasmania New_South_Wales Sicily Sardinia Corsica Normandy Brittany Tuscany
  Lombardy Andalusia Saxony Punjab Kerala Bihar Gujarat Rajasthan Maharashtra Tamil_Nadu Uttar_Pradesh Karnataka Sindh Okinawa
  Hokkaido Alabama Alaska Arizona Arkansas California Colorado Connecticut Delaware Florida Hawaii Idaho Illinois Indiana Iowa
  Kansas Kentucky Louisiana Maine Maryland Massachusetts Michigan Minnesota Mississippi Missouri Montana Nebraska Nevada
  New_Hampshire New_Jersey New_Mexico New_York North_Carolina North_Dakota Ohio Oklahoma Oregon Pennsylvania Rhode_Island
  South_Carolina South_Dakota Tennessee Texas Utah Vermont Virginia West_Virginia Wisconsin Wyoming D.C. N.Y. N.J. Calif.
  London Paris Berlin Munich Hamburg Frankfurt Cologne Stuttgart Milan Naples Turin Florence Venice Barcelona Valencia Seville
  Lyon Marseille Geneva Basel Rotterdam Antwerp Gothenburg Manchester Liverpool Birmingham Glasgow Edinburgh Leeds Bristol
  Cardiff Boston Philadelphia Houston Dallas Austin San_Francisco San_Diego San_Jose San_Antonio Seattle Portland Las_Vegas
  Miami Atlanta Baltimore Cleveland Pittsburgh Cincinnati St._Louis Minneapolis Milwaukee New_Orleans Nashville Memphis
  Sacramento Salt_Lake_City Orlando Tampa Montreal Ottawa Calgary Edmonton Mumbai Delhi New_Delhi Bangalore Chennai Hyderabad
  Lahore Islamabad Kabul Kandahar Tehran Mosul Basra Fallujah Najaf Tikrit Kirkuk Aleppo Tel_Aviv Haifa Mecca Medina Jeddah
  Beijing Guangzhou Shenzhen Wuhan Osaka Kyoto Hiroshima Nagasaki Canberra Wellington Christchurch Cape_Town Durban
  Ala. Ariz. Ark. Colo. Conn. Del. Fla. Ga. Ill. Ind. Kan. Ky. La. Mass. Md. Mich. Minn. Miss. Mo. Mont. Neb. Nev. Okla. Ore. Pa.
  Tenn. Tex. Va. Vt. Wash. Wis. Wyo.
  Rio_de_Janeiro Brasilia Kyiv Kharkiv Odessa St._Petersburg Washington Los_Angeles Hollywood Manhattan Brooklyn
`);

// Bodies and companies known in most of the world whose names are hardly anything else.
const organizations = words(`
  UN NATO EU IMF WTO OPEC UNESCO UNICEF UNHCR OECD ASEAN OSCE IAEA FIFA UEFA NASA FBI CIA NSA FDA EPA SEC FCC FEMA IRS NYPD
  BBC CNN NBC CBS PBS NPR ESPN Reuters Bloomberg AFP Xinhua Tass Interpol Europol Greenpeace Microsoft Google Facebook Twitter
  YouTube Netflix Intel IBM Cisco Oracle Nvidia AMD Dell Hewlett-Packard HP Xerox Nokia Ericsson Motorola Samsung Sony Panasonic
  Toshiba Hitachi Fujitsu Nintendo Canon Huawei Lenovo Alibaba Tencent Siemens Philips Bosch SAP Toyota Honda Nissan Mazda Hyundai
  Volkswagen BMW Daimler Porsche Audi Volvo Renault Peugeot Fiat Chrysler General_Motors GM Boeing Airbus Lockheed_Martin Raytheon
  General_Electric GE ExxonMobil Exxon Chevron Shell BP Gazprom Rosneft Lukoil Petrobras Aramco Walmart Wal-Mart Costco Ikea
  Starbucks McDonald's Coca-Cola Pepsi PepsiCo Nestle Nestlé Unilever Pfizer Novartis Roche Bayer AstraZeneca GlaxoSmithKline Merck
  Goldman_Sachs JPMorgan Citigroup Citibank HSBC Barclays Deutsche_Bank UBS Credit_Suisse Morgan_Stanley Merrill_Lynch
  Mastercard PayPal eBay Yahoo Verizon AT&T Vodafone Lufthansa Ryanair Hezbollah Hamas Fatah Taliban Al-Qaeda Congress
  European_Union United_Nations European_Commission European_Parliament Security_Council Red_Cross World_Bank World_Trade_Organization
  World_Health_Organization Supreme_Court Federal_Reserve State_Department Harvard MIT Oxford_University Cambridge_University
`);

const givenNames = words(`
  James John Robert Michael William David Richard Joseph Thomas Charles Christopher Daniel Matthew Anthony Donald Steven Paul
  Andrew Joshua Kenneth Kevin Brian George Edward Ronald Timothy Jason Jeffrey Ryan Jacob Gary Nicholas Eric Jonathan Stephen
  Larry Justin Scott Brandon Benjamin Samuel Gregory Raymond Patrick Alexander Dennis Jerry Aaron Jose Henry Adam Douglas Nathan
  Peter Zachary Kyle Walter Harold Jeremy Ethan Carl Keith Roger Gerald Lawrence Sean Arthur Albert Willie Joe Juan Jack Terry
  Jesse Ralph Roy Louis Eugene Philip Bobby Johnny Bradley Tom Tim Jim Bob Mike Steve Dave Dan Bill Chris Greg Jeff Ken Ron Don
  Doug Fred Alan Allen Bruce Bryan Craig Derek Duane Earl Edgar Edwin Ernest Francis Frank Geoff Glenn Gordon Harry Howard Hugh
  Ian Ivan Jay Jimmy Joel Karl Kurt Leonard Leon Lee Lloyd Luis Manuel Marcus Mario Martin Marvin Maurice Max Melvin Milton
  Mitchell Neil Norman Oscar Pedro Phil Phillip Randy Ray Ricardo Rick Rob Ross Russell Sam Seth Sidney Stanley Stuart Ted
  Theodore Todd Tony Tracy Vernon Victor Vincent Wayne Wesley Zach Mary Patricia Jennifer Linda Elizabeth Barbara Susan Jessica
  Sarah Karen Lisa Nancy Betty Margaret Sandra Ashley Kimberly Emily Donna Michelle Carol Amanda Dorothy Melissa Deborah
  Stephanie Rebecca Sharon Laura Cynthia Kathleen Amy Angela Shirley Anna Brenda Pamela Emma Nicole Helen Samantha Katherine
  Christine Debra Rachel Carolyn Janet Catherine Maria Heather Diane Ruth Julie Olivia Joyce Kelly Lauren Christina Joan Evelyn
  Judith Megan Andrea Cheryl Hannah Jacqueline Martha Gloria Teresa Ann Sara Frances Kathryn Janice Jean Abigail Alice Julia
  Judy Sophia Denise Doris Marilyn Danielle Beverly Isabella Theresa Diana Natalie Brittany Marie Kayla Alexis Lori Anne Anita
  Becky Beth Bonnie Cathy Claire Connie Debbie Elaine Eleanor Ellen Erin Gail Gina Irene Jane Jill Jo Joanne Josephine Kate
  Kathy Katie Kim Kristen Leslie Liz Louise Lucy Lynn Maggie Marcia Melinda Monica Nina Norma Pam Paula Peggy Phyllis Rita
  Rhonda Robin Sally Sheila Stacey Stacy Sue Suzanne Sylvia Tammy Tina Valerie Vicki Wendy Yvonne Ahmed Mohammed Muhammad Ali
  Hassan Hussein Ibrahim Omar Yusuf Fatima Hamid Khalid Abdullah Mahmoud Carlos Miguel Antonio Francisco Javier Fernando Diego
  Pablo Jorge Sergio Pierre Jacques François Michel Philippe Hans Klaus Wolfgang Jürgen Günther Dieter Heinz Giovanni Giuseppe
  Marco Luca Andrei Boris Dmitri Igor Mikhail Nikolai Oleg Sergei Vladimir Yuri Svetlana Olga Natasha Tatiana Hiroshi Kenji
  Takashi Yuki Akira Rajesh Sanjay Vijay Anil Sunil Priya Ravi Amit Deepak Wei
`);

const nationalities = words(`
  Afghan Albanian Algerian American Angolan Arab Arabian Argentine Argentinian Armenian Asian African Australian Austrian
  Azerbaijani Bangladeshi Belarusian Belgian Bolivian Bosnian Brazilian British Bulgarian Burmese Cambodian Canadian Chechen
  Chilean Chinese Colombian Congolese Croatian Cuban Cypriot Czech Danish Dutch Ecuadorian Egyptian English Estonian Ethiopian
  European Filipino Finnish French Georgian German Ghanaian Greek Guatemalan Haitian Hungarian Icelandic Indian Indonesian
  Iranian Iraqi Irish Israeli Italian Jamaican Japanese Jewish Jordanian Kenyan Korean Kurdish Kuwaiti Latvian Lebanese Liberian
  Libyan Lithuanian Macedonian Malaysian Maltese Mexican Moroccan Nepalese Nicaraguan Nigerian Norwegian Pakistani Palestinian
  Panamanian Peruvian Polish Portuguese Romanian Russian Rwandan Saudi Scottish Serbian Sicilian Slovak Slovenian Somali Spanish
  Sudanese Swedish Swiss Syrian Taiwanese Tanzanian Thai Tibetan Tunisian Turkish Ugandan Ukrainian Uruguayan Venezuelan
  Vietnamese Welsh Yemeni Muslim Christian Catholic Protestant Hindu Buddhist Sunni Shiite Shia Democrat Republican
`).flatMap((people) => [people, `${people}s`]);

const build = (): Map<string, Evidence> => {
  const evidence = new Map<string, Evidence>();
  const add = (names: readonly string[], kind: Evidence): void => {
    for (const name of names) if (!leftOut.has(name)) evidence.set(name, kind);
  };
  add([...countries(), ...zoneCities(), ...morePlaces], place);
  add(organizations, body);
  add(givenNames, givenName);
  add(nationalities, peoples);
  return evidence;
};

/** General knowledge that the weights lack: names of places, bodies, given names, peoples. As written, words parted by one space. */
export const lexicon: ReadonlyMap<string, Evidence> = build();

/** Index of an evidence's type; -1 when it speaks for none. */
export const typeIndexOf = ({ type }: Evidence): number => (type === null ? -1 : nameTypes.indexOf(type));
