// Owns what there is to say about a link that was made with other numbers than those that this page computes: 0.1.0 is a
// release, and -3f9ac01b after it stands for the numbers that the widget shows at every setting (scripts/site/numbers.py).

import { t } from "./messages.js";

const SPELLING = /^\d{1,4}(?:\.\d{1,4}){0,3}(?:-[0-9a-f]{8})?$/;

// Whether a link's `version` names other numbers than `ours`. Where both name them, the release does not matter.
function differs(version, ours) {
  const [release, numbers] = version.split("-");
  const [ownRelease, ownNumbers] = ours.split("-");
  return numbers ? numbers !== ownNumbers : release !== ownRelease;
}

// The sentence, or nothing. What a link says that is no version is never repeated.
export function versionNote(version, ours) {
  if (version === null || !differs(version, ours)) return "";
  return SPELLING.test(version)
    ? t("This link was made with version {version} of the model, and this page runs {ours}: numbers may have moved.", { version, ours })
    : t("This link was made with another version of the model: numbers may have moved.");
}
