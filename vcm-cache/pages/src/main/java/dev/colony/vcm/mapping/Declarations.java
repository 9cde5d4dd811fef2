package dev.colony.vcm.mapping;

import dev.colony.blackboard.value.Text;
import dev.colony.vcm.mapping.Language.Block;
import dev.colony.vcm.mapping.Language.Defined;
import dev.colony.vcm.mapping.Language.Definer;
import dev.colony.vcm.mapping.Language.Kind;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Cuts the lines of a file into passages by what they declare: a method or a small type with the
 * comment above it, what a larger type has beside its members, a section of a text under its
 * heading. The licence and what is imported are in no passage. Lines that declare nothing are cut
 * by their number. A pure function.
 */
final class Declarations {

  /** Lines of a passage; what is longer becomes several of one symbol. */
  static final int MOST_LINES = 60;

  /** A type of so many lines is one passage with its members. */
  private static final int SMALL_TYPE = 24;

  /** Lines of a comment that belong to what is declared below it. */
  private static final int COMMENT_LINES = 1_000;

  /** Lines in which the end of a declaration is looked for. */
  private static final int LONGEST = 20_000;

  private static final int SIGNATURE_CHARS = 200;
  private static final int SUMMARY_CHARS = 200;

  private static final int NOTHING = -1;
  private static final int DROPPED = -2;

  private static final Pattern IMPORT =
      Pattern.compile(
          "^(?:import\\b|package\\s|from\\s+\\S+\\s+import\\b|#\\s*include\\b|using\\s+[\\w.:= ]++;"
              + "|(?:pub )?use\\s+[^;]++;)");
  private static final Pattern LICENCE = Pattern.compile("(?i)licen[sc]e|copyright");
  private static final Pattern HEADING = Pattern.compile("^(?:#{1,6}|={1,6})\\s++(\\S.*)$");
  private static final Pattern IMPL =
      Pattern.compile("^\\s*+impl\\b(?:<[^>]*+>)?\\s++(?:[^{]*?\\sfor\\s++)?(\\w++)");
  private static final Pattern RECEIVER = Pattern.compile("^func\\s*+\\(\\w*+\\s*+\\*?(\\w++)");
  private static final Pattern TAG = Pattern.compile("\\{@\\w++\\s++([^}]*+)}|</?[a-zA-Z][^>]*+>");
  private static final Pattern MARKS =
      Pattern.compile("^(?:/\\*++|\\*++/?|//[/!]?+|#++|--++|\"\"\")");
  private static final Pattern SENTENCE = Pattern.compile("^.*?[.!?](?=\\s|$)");

  /**
   * Lines that belong together.
   *
   * @param first position of the first line, from 0
   * @param last inclusive
   * @param at position of the line that declares it; {@code first} where none does
   * @param symbol with the types around it; of a text its heading; empty where they declare nothing
   * @param signature the line that declares it, stripped; empty where they declare nothing
   * @param summary the first sentence of its comment; empty where it has none
   */
  record Declaration(
      int first, int last, int at, String symbol, String signature, String summary) {}

  /** What a line declares, before it is known which lines are its own. */
  private record Head(int at, String symbol, String signature, String summary) {}

  /** A type around what follows, until its last line. */
  private record Around(int last, String symbol) {}

  private final Language language;
  private final List<String> lines;
  private final List<Head> heads = new ArrayList<>();
  private final int[] owners;

  private Declarations(Language language, List<String> lines) {
    this.language = language;
    this.lines = lines;
    this.owners = new int[lines.size()];
    Arrays.fill(owners, NOTHING);
  }

  /**
   * The passages of a file, in its order; together they have all its lines but those that are in
   * none, and blank ones.
   *
   * @param lines that stand one after the other, from wherever in the file
   */
  static List<Declaration> of(String path, List<String> lines) {
    Declarations cut = new Declarations(Language.of(path), lines);
    String name = path.toLowerCase(Locale.ROOT);
    if (name.matches(".*\\.(?:md|mdx|markdown|adoc)")) {
      cut.sections();
    } else if (cut.language.block() != Block.LINE && cut.language != Language.SETTINGS) {
      cut.declarations();
      cut.drop();
    }
    return cut.passages();
  }

  /** What a type's own lines give a number, each by itself; nothing of what is no type's. */
  static List<Declaration> numbers(String path, List<String> lines, Declaration type) {
    Definer any = Language.of(path).any();
    if (any.in(type.signature()).filter(one -> one.kind() == Kind.TYPE).isEmpty()) {
      return List.of();
    }
    List<Declaration> numbers = new ArrayList<>();
    for (int at = type.first(); at <= type.last(); at++) {
      String line = lines.get(at);
      Optional<Defined> given =
          DeclarationRanker.GIVES_NUMBER.matcher(line).find()
              ? any.in(line)
                  .filter(one -> one.kind() == Kind.CONSTANT || one.kind() == Kind.VARIABLE)
              : Optional.empty();
      if (given.isPresent()) {
        String symbol = type.symbol() + "." + given.get().name();
        numbers.add(new Declaration(at, at, at, symbol, line.strip(), ""));
      }
    }
    return numbers;
  }

  private void sections() {
    boolean fenced = false;
    for (int at = 0; at < lines.size(); at++) {
      String line = lines.get(at);
      fenced ^= line.startsWith("```") || line.startsWith("~~~");
      Matcher heading = HEADING.matcher(line);
      if (!fenced && heading.find()) {
        String title = heading.group(1).replaceAll("\\s*[#=]+\\s*$", "");
        heads.add(new Head(at, Text.head(title, SIGNATURE_CHARS), signature(at), prose(at + 1)));
      }
      owners[at] = heads.size() - 1;
    }
  }

  /** The first sentence below a heading. */
  private String prose(int from) {
    StringBuilder text = new StringBuilder();
    for (int at = from; at < lines.size() && text.length() < SUMMARY_CHARS; at++) {
      String line = lines.get(at).strip();
      if (line.isEmpty() && !text.isEmpty() || line.startsWith("#") || line.startsWith("```")) {
        break;
      }
      text.append(line).append(' ');
    }
    return sentence(text.toString());
  }

  private void declarations() {
    Deque<Around> around = new ArrayDeque<>();
    for (int at = 0; at < lines.size(); ) {
      while (!around.isEmpty() && around.peek().last() < at) {
        around.pop();
      }
      String line = lines.get(at);
      Optional<Defined> defined =
          line.isBlank() || language.comment(line) || IMPORT.matcher(line).find()
              ? Optional.empty()
              : language.any().in(line);
      Matcher impl = IMPL.matcher(line);
      if (language == Language.RUST && impl.find()) {
        int last = Blocks.end(language, lines, at, LONGEST);
        own(at, last, impl.group(1));
        around.push(new Around(last, impl.group(1)));
      } else if (defined.isPresent() && defined.get().kind() == Kind.TYPE) {
        int last = Blocks.end(language, lines, at, LONGEST);
        String symbol = symbol(around, defined.get().name(), line);
        int first = own(at, last, symbol);
        if (last - first >= SMALL_TYPE) {
          around.push(new Around(last, symbol));
        } else {
          at = last;
        }
      } else if (defined.isPresent() && defined.get().kind() == Kind.FUNCTION) {
        int last = Blocks.end(language, lines, at, LONGEST);
        own(at, last, symbol(around, defined.get().name(), line));
        at = last;
      }
      at++;
    }
  }

  private String symbol(Deque<Around> around, String name, String line) {
    Matcher receiver = RECEIVER.matcher(line);
    if (language == Language.GO && receiver.find()) {
      return receiver.group(1) + "." + name;
    }
    return around.isEmpty() ? name : around.peek().symbol() + "." + name;
  }

  /** Gives lines to a declaration, its comment with them, and returns the first. */
  private int own(int at, int last, String symbol) {
    int from = Math.max(0, at - COMMENT_LINES);
    int first = from + Blocks.head(language, lines.subList(from, at + 1), COMMENT_LINES);
    heads.add(new Head(at, symbol, signature(at), summary(first, at)));
    Arrays.fill(owners, first, last + 1, heads.size() - 1);
    return first;
  }

  private String signature(int at) {
    return Text.head(lines.get(at).strip(), SIGNATURE_CHARS);
  }

  private String summary(int first, int at) {
    String above = comment(first, at);
    boolean documented = language == Language.PYTHON && at + 1 < lines.size();
    return above.isEmpty() && documented && lines.get(at + 1).strip().startsWith("\"\"\"")
        ? sentence(lines.get(at + 1).strip().replace("\"\"\"", ""))
        : above;
  }

  /** The first sentence of the comment lines of a range. */
  private String comment(int first, int end) {
    StringBuilder text = new StringBuilder();
    for (int line = first; line < end; line++) {
      if (!language.comment(lines.get(line))) {
        continue;
      }
      String stripped = MARKS.matcher(lines.get(line).strip()).replaceFirst("").strip();
      if (stripped.startsWith("@")) {
        break;
      }
      text.append(stripped.replaceFirst("\\*/$", "")).append(' ');
    }
    return sentence(text.toString());
  }

  /** Lines as one text, without the marks of comments and of formats in them. */
  static String plain(List<String> lines) {
    StringBuilder text = new StringBuilder();
    lines.forEach(line -> text.append(MARKS.matcher(line.strip()).replaceFirst("")).append(' '));
    return TAG.matcher(text).replaceAll("$1").replaceAll("\\s+", " ").strip();
  }

  private static String sentence(String text) {
    String plain = TAG.matcher(text).replaceAll("$1").replaceAll("\\s+", " ").strip();
    Matcher first = SENTENCE.matcher(plain);
    return Text.cut(first.find() ? first.group() : plain, SUMMARY_CHARS);
  }

  /** Takes the licence at the top, and what is imported, out of all passages. */
  private void drop() {
    int end = 0;
    boolean licence = false;
    while (end < lines.size() && language.comment(lines.get(end))) {
      licence |= LICENCE.matcher(lines.get(end)).find();
      end++;
      if (lines.get(end - 1).contains("*/")) {
        break;
      }
    }
    if (licence) {
      Arrays.fill(owners, 0, end, DROPPED);
    }
    for (int at = 0; at < lines.size(); at++) {
      if (IMPORT.matcher(lines.get(at)).find()) {
        owners[at] = DROPPED;
      }
    }
  }

  private List<Declaration> passages() {
    List<Declaration> passages = new ArrayList<>();
    for (int from = 0, to; from < owners.length; from = to) {
      to = from + 1;
      while (to < owners.length && owners[to] == owners[from]) {
        to++;
      }
      if (owners[from] != DROPPED) {
        run(from, to, passages);
      }
    }
    return passages;
  }

  /**
   * Lines of one owner, without the blank ones at their ends, in passages that are short enough.
   */
  private void run(int from, int to, List<Declaration> passages) {
    int first = from;
    int end = to;
    while (first < end && empty(lines.get(first))) {
      first++;
    }
    while (end > first && lines.get(end - 1).isBlank()) {
      end--;
    }
    if (first == end) {
      return;
    }
    Head head = head(first, end, owners[from]);
    int parts = (end - first + MOST_LINES - 1) / MOST_LINES;
    for (int part = 0; part < parts; part++) {
      int begin = first + (int) ((long) (end - first) * part / parts);
      int last = first + (int) ((long) (end - first) * (part + 1) / parts) - 1;
      passages.add(
          new Declaration(
              begin,
              last,
              head.at() >= begin && head.at() <= last ? head.at() : begin,
              head.symbol(),
              head.signature(),
              head.summary()));
    }
  }

  /** Whether a line only ends what stands before it. */
  private static boolean empty(String line) {
    return line.chars().allMatch(c -> Character.isWhitespace(c) || "})];,".indexOf(c) >= 0);
  }

  private Head head(int first, int end, int owner) {
    if (owner == NOTHING) {
      return new Head(first, "", "", "");
    }
    Head head = heads.get(owner);
    if (head.at() >= first && head.at() < end) {
      return head;
    }
    return field(first, end, head).orElse(head);
  }

  /** The one field that lines between a type's members declare; empty where they have several. */
  private Optional<Head> field(int first, int end, Head type) {
    List<Head> fields = new ArrayList<>();
    for (int at = first; at < end && fields.size() < 2; at++) {
      String line = lines.get(at);
      int here = at;
      if (!language.comment(line)) {
        language
            .any()
            .in(line)
            .filter(one -> one.kind() == Kind.VARIABLE || one.kind() == Kind.CONSTANT)
            .ifPresent(one ->
                fields.add(
                    new Head(
                        here,
                        type.symbol() + "." + one.name(),
                        signature(here),
                        comment(first, here))));
      }
    }
    return fields.size() == 1 ? Optional.of(fields.getFirst()) : Optional.empty();
  }
}
