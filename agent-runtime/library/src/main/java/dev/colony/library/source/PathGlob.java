package dev.colony.library.source;

import com.google.re2j.Pattern;
import java.util.function.Predicate;

/**
 * Which paths are meant: {@code *} and {@code ?} stand for anything but a slash, {@code **} for
 * anything, <code>{a,b}</code> for one of them. A glob without a slash is held against the names of
 * files and of the directories above them; one that begins with {@code ./} holds from the root on.
 * One whose end has no stars and fits a directory means all below it; an empty one means all.
 * Matches in linear time.
 */
final class PathGlob implements Predicate<String> {

  private final Pattern pattern;

  private PathGlob(Pattern pattern) {
    this.pattern = pattern;
  }

  static PathGlob of(String glob) {
    String path = glob.strip();
    boolean rooted = path.startsWith("./") || path.startsWith("/");
    while (path.startsWith("./") || path.startsWith("/")) {
      path = path.substring(path.indexOf('/') + 1);
    }
    path = path.replaceFirst("/+$", "");
    if (path.isEmpty() || path.equals(".")) {
      path = "**";
    }
    String anywhere = rooted || path.contains("/") ? "" : "(?:.*/)?";
    String last = path.substring(path.lastIndexOf('/') + 1);
    String below = last.contains("*") || last.contains("?") ? "" : "(?:/.*)?";
    return new PathGlob(Pattern.compile(anywhere + expression(path) + below, Pattern.DOTALL));
  }

  private static String expression(String glob) {
    StringBuilder expression = new StringBuilder();
    int braces = 0;
    for (int at = 0; at < glob.length(); at++) {
      char c = glob.charAt(at);
      if (glob.startsWith("**/", at)) {
        expression.append("(?:.*/)?");
        at += 2;
      } else if (glob.startsWith("**", at)) {
        expression.append(".*");
        at++;
      } else if (c == '*') {
        expression.append("[^/]*");
      } else if (c == '?') {
        expression.append("[^/]");
      } else if (c == '{' && glob.indexOf('}', at) > 0) {
        expression.append("(?:");
        braces++;
      } else if (c == '}' && braces > 0) {
        expression.append(')');
        braces--;
      } else if (c == ',' && braces > 0) {
        expression.append('|');
      } else {
        expression.append(Pattern.quote(String.valueOf(c)));
      }
    }
    return expression.append(")".repeat(braces)).toString();
  }

  @Override
  public boolean test(String path) {
    return pattern.matches(path);
  }
}
