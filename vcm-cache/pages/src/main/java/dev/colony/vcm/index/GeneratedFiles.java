package dev.colony.vcm.index;

import java.util.List;
import java.util.regex.Pattern;

/**
 * Tells files that were not written by hand, or that say the same again: what a program has made of
 * another file, minified scripts, lists of locked versions, translated messages, licences. They
 * have the words of what they are made of, and are hardly ever what a question is after.
 */
final class GeneratedFiles {

  /** Where programs say it, if they do. */
  private static final int HEAD_LINES = 40;

  private static final Pattern SAYS_SO =
      Pattern.compile(
          "DO NOT"
              + " (?:EDIT|MODIFY)|@generated\\b|@(?:javax|jakarta)\\.annotation\\.Generated\\b|^\\s*+(?://|/?\\*|#|--|<!--)\\W*+(?i:(?:this|the)"
              + " (?:file|class|code|source) (?:is|was|has been) )?(?i:auto-?matically"
              + " |auto-?)?(?i:generated (?:by|from|code|file|source)\\b)");

  private static final Pattern BY_NAME =
      Pattern.compile(
          "(?i)(?:^|/)(?:generated|generated-sources|node_modules|third[-_]party)/"
              + "|\\.min\\.(?:js|css)$|\\.(?:map|svg)$|_pb2?\\.(?:py|js|go)$|\\.pb\\.go$"
              + "|(?:^|/)(?:package-lock\\.json|yarn\\.lock|pnpm-lock\\.yaml|Cargo\\.lock|go\\.sum)$"
              + "|(?:^|/)(?:LICEN[CS]E|NOTICE|COPYING|AUTHORS|CHANGE(?:S|LOG))(?:[.-](?:txt|md|rst|html))?$"
              + "|_[a-z]{2}(?:_[A-Z]{2})?\\.properties$");

  private GeneratedFiles() {}

  /**
   * Whether a file is one of them.
   *
   * @param lines from the file's first line on, as many as are at hand
   */
  static boolean has(String path, List<String> lines) {
    return BY_NAME.matcher(path).find()
        || lines.stream().limit(HEAD_LINES).anyMatch(line -> SAYS_SO.matcher(line).find());
  }
}
