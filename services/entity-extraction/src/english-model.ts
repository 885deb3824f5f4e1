import { loadPerceptron } from './perceptron.js';

/** The English weights: read once, when the service starts, so that no document waits for them. */
export const englishModel = loadPerceptron(new URL('../model/ner-perceptron-en.json.br', import.meta.url));
