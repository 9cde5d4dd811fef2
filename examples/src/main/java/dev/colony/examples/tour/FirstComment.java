package dev.colony.examples.tour;

import dev.colony.blackboard.value.Text;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What the first comment of a file says that tells of it: of licences and headings it does not. */
final class FirstComment {

  private static final int CHARS = 240;

  /** A comment between marks, or lines of one; a text between three quotes. */
  private static final Pattern COMMENT =
      Pattern.compile(
          "/\\*\\*?(.*?)\\*/|\"\"\"(.*?)\"\"\"|((?m:^[ \\t]*(?://|#(?!!))[^\\n]*\\n?)+)",
          Pattern.DOTALL);

  private static final Pattern LEGAL =
      Pattern.compile("(?i)copyright|licen[cs]e|SPDX|all rights reserved");

  private static final Pattern SENTENCE = Pattern.compile("^.*?[.!?](?= [A-Z]|$)");

  private FirstComment() {}

  /** Its first sentence, in one line; empty where there is none. */
  static String of(String text) {
    Matcher comment = COMMENT.matcher(text);
    while (comment.find()) {
      String said = comment.group().replaceAll("(?m)^[ \\t]*(?:/\\*+|\\*/|\\*|//+|#+|\"\"\")", " ");
      String plain =
          said.replaceAll("\\*/|\"\"\"", " ")
              .replaceAll("\\{@\\w+ ([^}]*)}", "$1")
              .replaceAll("<[^>]{1,20}>", "")
              .replaceAll("\\s+", " ")
              .strip();
      if (!plain.isEmpty() && !LEGAL.matcher(plain).find()) {
        return sentence(plain);
      }
    }
    return "";
  }

  private static String sentence(String text) {
    String plain = text.replaceFirst("(?<=\\S) @[a-z]+ .*", "");
    Matcher first = SENTENCE.matcher(plain);
    return Text.cut(first.find() ? first.group() : plain, CHARS);
  }
}
