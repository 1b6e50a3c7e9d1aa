// The scores of Sphinx's search. Copies of programs, cards of models, single tournaments and
// release notes come after the pages.
var Scorer = {
  score: ([page, , , , score]) =>
    /^(programs|models|tournaments\/(?!index)|project\/(?!CONTRIBUTING))/.test(page) ? score - 100 : score,
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
