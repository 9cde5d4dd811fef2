package dev.colony.library.page;

import com.google.re2j.Matcher;
import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import dev.colony.agent.AgentException;
import dev.colony.library.page.Spans.Span;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/**
 * Finds the lines that a regular expression of RE2 fits. Takes time linear in the text whatever the
 * expression, which therefore has no references back and no looking around.
 */
final class Grep {

  static final String KIND = "match";

  private final Pattern pattern;
  private final int context;
  private final int lineChars;

  /**
   * Reads the expression.
   *
   * @param context lines before and after a match that are shown with it
   * @throws AgentException if it is none, with what is wrong
   */
  Grep(String expression, boolean ignoreCase, int context, int lineChars) {
    try {
      pattern =
          Pattern.compile(
              expression,
              ignoreCase ? Pattern.MULTILINE | Pattern.CASE_INSENSITIVE : Pattern.MULTILINE);
    } catch (PatternSyntaxException bad) {
      throw AgentException.refused(
          "the pattern %s is no regular expression of RE2: %s"
              .formatted(expression, bad.getMessage().replace('\n', ' ')));
    }
    this.context = context;
    this.lineChars = lineChars;
  }

  /** The matches by their places; those that touch each other with their context are one span. */
  List<Span> in(List<MappedText> files) {
    List<Span> spans = new ArrayList<>();
    files.forEach(file -> find(file, spans));
    return spans;
  }

  private void find(MappedText file, List<Span> into) {
    if (file.count() == 0) {
      return;
    }
    Matcher matcher = pattern.matcher(file.text());
    int from = 0;
    int first = -1;
    int last = -1;
    while (from < file.text().length() && matcher.find(from)) {
      int begin = file.lineAt(matcher.start());
      int end = file.lineAt(Math.max(matcher.start(), matcher.end() - 1));
      int shownFrom = Math.max(0, begin - context);
      if (first >= 0 && shownFrom > last + 1) {
        into.add(file.span(first, last, KIND, lineChars));
        first = -1;
      }
      first = first < 0 ? shownFrom : first;
      last = Math.min(file.count() - 1, end + context);
      from = file.start(end + 1);
    }
    if (first >= 0) {
      into.add(file.span(first, last, KIND, lineChars));
    }
  }

  /**
   * Which paths are meant: {@code *} and {@code ?} stand for anything but a slash, {@code **} for
   * anything, <code>{a,b}</code> for one of them. A glob without a slash is held against the names
   * of files and of the directories above them; one that begins with {@code ./} holds from the root
   * on. One whose end has no stars and fits a directory means all below it; an empty one means all.
   * Matches in linear time.
   */
  static final class PathGlob implements Predicate<String> {

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
}
