// What comes first in a search: a guide before the reference, the pages of papers and the changes, unless
// these have the words in their title. All numbers but GUIDE are Sphinx's own.
const GUIDE = 8;

var Scorer = {
  score: ([docname, , , , score]) => score + (docname.includes("/") ? 0 : GUIDE),
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
