import { type Taxonomy, taxonomySchema } from '@anabranch/rules';

/** What a document is judged by unless its tenant brings an own taxonomy. */
export const defaultTaxonomy: Taxonomy = taxonomySchema.parse({
  id: 'default',
  version: 'built-in-2',
  threshold: 0.25,
  languages: ['en'],
  labels: [
    {
      name: 'legal',
      description: 'Contracts, litigation, statutes',
      keywords:
        'agreement,arbitration,attorney,breach,clause,compliance,confidentiality,contract,counsel,court,damages,defendant,governing law,hereby,indemnify,indemnification,intellectual property,jurisdiction,law,lawsuit,legal,liability,license,litigation,obligations,party,parties,plaintiff,pursuant,statute,terminate,termination,warranty,whereas'.split(
          ',',
        ),
    },
    {
      name: 'finance',
      description: 'Accounts, markets, payments',
      keywords:
        'accounting,asset,assets,audit,balance sheet,bank,budget,capital,cash flow,credit,debt,deficit,dividend,earnings,expenditure,expenditures,financial,fiscal year,inflation,interest rate,investment,investor,investors,invoice,loan,margin,market,payment,portfolio,profit,quarter,revenue,share,shareholders,stock,tax,taxes'.split(
          ',',
        ),
    },
    {
      name: 'support',
      description: 'Requests for help with a product or an order',
      keywords:
        'account locked,bug,cancel,complaint,crash,customer service,delivery,does not work,doesn’t work,error,error message,exchange,help,issue,log in,login,not working,order number,password,please advise,problem,refund,reinstall,replacement,reset,return,shipping,support,ticket,troubleshoot,warranty claim'.split(
          ',',
        ),
    },
    {
      name: 'news',
      description: 'Reports of public events',
      keywords:
        'according to,announced,authorities,correspondent,headline,investigation,journalist,officials,police,press conference,protest,protesters,reported,reporter,reuters,spokesman,spokeswoman,told reporters,witnesses'.split(
          ',',
        ),
    },
    {
      name: 'politics',
      description: 'Government, elections, public policy',
      keywords:
        'administration,ballot,cabinet,campaign,citizens,coalition,congress,constitution,democracy,diplomacy,election,foreign policy,freedom,governor,legislation,legislature,mayor,minister,nation,national security,parliament,peace,policy,political,president,referendum,senate,treaty,vote,voters,war'.split(
          ',',
        ),
    },
    {
      name: 'technology',
      description: 'Software, hardware, networks',
      keywords:
        'algorithm,api,application,artificial intelligence,browser,cloud,code,computer,computing,cpu,data,database,deploy,developer,device,encryption,hardware,internet,machine learning,memory,network,operating system,platform,processor,programming,server,software,source code,storage,system,technology,user interface,website'.split(
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
        'applicant,benefits,candidate,compensation,cover letter,curriculum vitae,dismissal,employee,employees,employer,employment,hire,hiring,human resources,interview,job description,leave of absence,onboarding,overtime,payroll,performance review,position,promotion,qualifications,recruitment,resignation,resume,salary,staff,vacation,wages,working hours'.split(
          ',',
        ),
    },
    {
      name: 'science',
      description: 'Research and papers',
      keywords:
        'abstract,analysis,baseline,dataset,empirical,equation,et al,evaluation,evidence,experiment,experimental,experiments,hypothesis,laboratory,literature review,measurement,method,methodology,model,observation,participants,peer review,research,researchers,results show,sample,scientific,scientists,significant,statistical,study,theorem,theory,we propose'.split(
          ',',
        ),
    },
  ],
});
