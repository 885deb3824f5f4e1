import { type Taxonomy, taxonomySchema } from '@anabranch/rules';

/**
 * What a document is judged by unless its tenant brings an own taxonomy. Words that mean several things are left out, and
 * so are those whose stem other words have: "shipping" would meet ships, "book" bookings, "reported" reports.
 */
export const defaultTaxonomy: Taxonomy = taxonomySchema.parse({
  id: 'default',
  version: 'built-in-4',
  threshold: 0.25,
  languages: ['en'],
  labels: [
    {
      name: 'legal',
      description: 'Contracts, litigation, statutes',
      keywords:
        'agreement,appeal court,arbitration,attorney,breach,clause,compliance,confidentiality,contract,counsel,court,damages,defendant,governing law,hereby,indemnification,indemnify,intellectual property,jurisdiction,law,lawsuit,lawyer,legal,liability,license,litigation,obligations,plaintiff,pursuant,statute,term and termination,terminate,the parties,third party,upon termination,warranty,whereas'.split(
          ',',
        ),
    },
    {
      name: 'finance',
      description: 'Accounts, markets, payments',
      keywords:
        'accounting,asset,assets,audit,balance sheet,bank,banking,budget,cash flow,credit,debt,deficit,dividend,earnings,expenditure,expenditures,financial,fiscal year,inflation,interest rate,investment,investor,investors,invoice,loan,market,payment,portfolio,profit,quarterly,revenue,sales,share price,shareholders,shares,stock,tax,taxes,trade'.split(
          ',',
        ),
    },
    {
      name: 'support',
      description: 'Requests for help with a product or an order',
      keywords:
        'account locked,bug,cancel my,complaint,customer service,customer support,delivery date,does not work,doesn’t work,error message,help desk,log in,login,my order,not working,order number,password,please advise,please help,refund,reinstall,replacement,reset,return label,shipping address,shipping cost,stopped working,support team,support ticket,tech support,troubleshoot,warranty claim'.split(
          ',',
        ),
    },
    {
      name: 'news',
      description: 'Reports of public events',
      keywords:
        'according to,announced,authorities,correspondent,headline,investigation,journalist,officials,police,press conference,protest,protesters,reporter,reuters,spokesman,spokeswoman,told reporters,witnesses'.split(
          ',',
        ),
    },
    {
      name: 'politics',
      description: 'Government, elections, public policy',
      keywords:
        'administration,ballot,cabinet,campaign,citizens,coalition,congress,constitution,democracy,diplomacy,election,foreign policy,freedom,government,governor,legislation,legislature,mayor,minister,nation,national security,opposition,parliament,party leader,peace,policy,political,politician,president,prime minister,referendum,senate,treaty,vote,voters,war'.split(
          ',',
        ),
    },
    {
      name: 'technology',
      description: 'Software, hardware, networks',
      keywords:
        'algorithm,api,app,artificial intelligence,broadband,browser,computer,computing,cpu,data,database,deploy,developer,digital,encryption,hardware,internet,laptop,machine learning,mobile phone,network,online,operating system,programming,server,software,source code,technology,user interface,users,website,wireless'.split(
          ',',
        ),
    },
    {
      name: 'health',
      description: 'Medicine and care',
      keywords:
        'blood,cancer,clinic,clinical,clinical trial,diagnosis,disease,doctor,dose,drug,health,health care,hospital,illness,infection,medical,medicine,nurse,patient,patients,pharmacy,physician,prescription,surgery,symptom,symptoms,therapy,treatment,vaccine,virus'.split(
          ',',
        ),
    },
    {
      name: 'human-resources',
      description: 'Employment and applications',
      keywords:
        'annual leave,applicant,compensation,cover letter,curriculum vitae,employee,employee benefits,employees,employer,employment,hire,hiring,human resources,job description,job interview,job offer,leave of absence,onboarding,overtime pay,payroll,performance review,qualifications,recruitment,resignation,salary,unfair dismissal,wages,working hours,wrongful dismissal'.split(
          ',',
        ),
    },
    {
      name: 'science',
      description: 'Research and papers',
      keywords:
        'abstract,analysis,baseline,dataset,empirical,equation,et al,evaluation,experiment,experimental,experiments,hypothesis,laboratory,literature review,measurement,method,methodology,our model,participants,peer review,research,researchers,results show,scientific,scientists,statistical,study,theorem,theory,we propose,we show'.split(
          ',',
        ),
    },
    {
      name: 'sports',
      description: 'Matches, athletes, clubs',
      keywords:
        'athlete,athletics,basketball,champion,championship,coach,cricket,cup final,defender,football,footballer,goalkeeper,golf,half time,injury time,kick off,league,match,midfielder,olympic,olympics,penalty,player,playoffs,premiership,quarter final,rugby,scored,semi final,soccer,striker,team mate,tennis,test match,tournament,winger,world cup,world record'.split(
          ',',
        ),
    },
    {
      name: 'culture',
      description: 'Film, music, books, art',
      keywords:
        'actor,actress,album,art,artist,band,best seller,blockbuster,bookshop,box office,broadway,celebrity,cinema,comedy,concert,drama,exhibition,festival,fiction,film,gallery,hollywood,lyrics,movie,museum,music,musical,musician,novel,novelist,opera,orchestra,oscar,painting,paperback,poem,poet,singer,song,starring,theater,theatre,tv series,writer'.split(
          ',',
        ),
    },
  ],
});
