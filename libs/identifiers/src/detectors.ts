import { contactDetectors } from './contact-detectors.js';
import type { Detector } from './identifier.js';
import { nationalIdDetectors } from './national-id-detectors.js';
import { paymentDetectors } from './payment-detectors.js';
import { secretDetectors } from './secret-detectors.js';

/** All kinds. Between two overlapping spans that are equally strong and long, the earlier in this list stays. */
export const detectors: readonly Detector[] = [
  ...secretDetectors,
  ...paymentDetectors,
  ...nationalIdDetectors,
  ...contactDetectors,
];
