/** What a tenant might write down for five domains of an encyclopedia. */
export const domainKeywords: Readonly<Record<string, readonly string[]>> = {
  politics:
    'cabinet,campaign,candidate,coalition,congress,conservative,democratic,election,government,governor,legislature,liberal,mayor,minister,parliament,party,policy,political,politician,president,republican,senate,vote,voter'.split(
      ',',
    ),
  science:
    'asteroid,astronomer,astronomy,atom,biologist,biology,cell,chemical,chemist,chemistry,enzyme,experiment,gene,journal,molecule,nobel prize,particle,physicist,physics,planet,professor,protein,research,scientist,species,theory,university'.split(
      ',',
    ),
  music:
    'album,band,bass,billboard,chart,concert,drummer,guitar,guitarist,jazz,lyrics,music,musical,opera,orchestra,pop,record,rock,singer,single,song,songwriter,tour,vocals'.split(
      ',',
    ),
  literature:
    'author,book,editor,essay,fantasy,fiction,literary,literature,magazine,narrator,novel,novelist,play,playwright,poem,poet,poetry,prose,published,short story,story,translated,writer'.split(
      ',',
    ),
  ai: 'algorithm,artificial intelligence,classification,classifier,computer,computer vision,data,dataset,language processing,learning,machine learning,model,network,neural network,programming,recognition,regression,robot,robotics,software,speech recognition,training'.split(
    ',',
  ),
};
