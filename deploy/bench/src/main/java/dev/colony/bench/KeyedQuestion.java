package dev.colony.bench;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.nio.charset.MalformedInputException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;

/**
 * A question with its key: where a right answer is to be found.
 *
 * @param corpus the tree that is asked about, as {@link Trees} has it
 * @param files one of which a right file's path matches
 * @param lines one of which a right line matches
 * @param places whose lines are right; of a set that names lines, which has no {@code lines}
 * @param kind of question, to sum up by
 */
public record KeyedQuestion(
    String id,
    String corpus,
    String question,
    List<Pattern> files,
    List<Pattern> lines,
    List<Place> places,
    String kind) {

  private static final JsonMapper MAPPER = JsonMapper.builder().build();

  /** How many files count, in their order. */
  private static final int FILES = 5;

  private static final int FIRST_FILES = 3;

  /**
   * Lines that were found.
   *
   * @param line number of the first
   */
  record Found(String file, int line, String text) {

    int lastLine() {
      return line + Math.max(0, (int) text.lines().count() - 1);
    }
  }

  /**
   * Right lines.
   *
   * @param file its path, or the end of it
   * @param first from 1; 0 where only the file is known
   * @param last inclusive
   */
  record Place(String file, int first, int last) {

    boolean in(String path) {
      return path.equals(file) || path.endsWith("/" + file);
    }

    boolean has(Found found) {
      return in(found.file()) && first <= found.lastLine() && found.line() <= last;
    }
  }

  /**
   * Whether what was found is right.
   *
   * @param first whether the first file is a right one
   * @param three whether one of the first three is
   * @param five whether one of the first five is
   * @param evidence whether one of the lines is, in a right file
   */
  record Verdict(boolean first, boolean three, boolean five, boolean evidence) {}

  /**
   * Reads questions, one JSON object a line: {@code id}, {@code corpus}, {@code question}, {@code
   * files} and {@code lines} with regular expressions, {@code kind}; or those of a public set, of
   * which one whose answer names no file is left out.
   *
   * @throws IllegalArgumentException that names file, line and what is wrong
   */
  public static List<KeyedQuestion> read(Path file) {
    List<KeyedQuestion> questions = new ArrayList<>();
    int number = 0;
    for (String line : lines(file)) {
      number++;
      if (!line.isBlank()) {
        try {
          JsonNode json = MAPPER.readTree(line);
          if (PublicSets.has(json)) {
            PublicSets.of(json, name(file), number).ifPresent(questions::add);
          } else {
            questions.add(of(json));
          }
        } catch (JsonProcessingException | IllegalArgumentException bad) {
          String why =
              bad instanceof JsonProcessingException json ? json.getOriginalMessage() : reason(bad);
          throw new IllegalArgumentException("%s:%d: %s".formatted(file, number, why), bad);
        }
      }
    }
    if (questions.isEmpty()) {
      throw new IllegalArgumentException(file + ": has no questions");
    }
    return questions;
  }

  /** Of a file without its ending. */
  private static String name(Path file) {
    return file.getFileName().toString().replaceFirst("\\.\\w+$", "");
  }

  private static String reason(Exception bad) {
    return bad instanceof PatternSyntaxException pattern
        ? "%s in the regular expression %s"
            .formatted(pattern.getDescription(), pattern.getPattern())
        : bad.getMessage();
  }

  static List<String> lines(Path file) {
    try {
      return Files.readAllLines(file);
    } catch (MalformedInputException binary) {
      throw new IllegalArgumentException(file + ": is no UTF-8 text", binary);
    } catch (IOException unreadable) {
      throw new IllegalArgumentException(file + ": cannot be read", unreadable);
    }
  }

  private static KeyedQuestion of(JsonNode json) {
    return new KeyedQuestion(
        text(json, "id"),
        text(json, "corpus"),
        text(json, "question"),
        patterns(json, "files"),
        patterns(json, "lines"),
        List.of(),
        json.path("kind").asText("any"));
  }

  static String text(JsonNode json, String field) {
    String text = json.path(field).asText("");
    if (text.isBlank()) {
      throw new IllegalArgumentException("lacks the text " + field);
    }
    return text;
  }

  private static List<Pattern> patterns(JsonNode json, String field) {
    List<Pattern> patterns = new ArrayList<>();
    json.path(field).forEach(one -> patterns.add(Pattern.compile(one.asText())));
    if (patterns.isEmpty()) {
      throw new IllegalArgumentException("lacks the list of regular expressions " + field);
    }
    return List.copyOf(patterns);
  }

  boolean right(String file) {
    return files.stream().anyMatch(pattern -> pattern.matcher(file).find());
  }

  boolean right(Found line) {
    return right(line.file())
        && (lines.stream().anyMatch(pattern -> pattern.matcher(line.text()).find())
            || places.stream().anyMatch(place -> place.has(line)));
  }

  /** Judges lines by their order; a file comes where its first line does. */
  Verdict judge(List<Found> found) {
    LinkedHashSet<String> named = new LinkedHashSet<>();
    found.forEach(line -> named.add(line.file()));
    return judge(List.copyOf(named), found.stream().anyMatch(this::right));
  }

  /**
   * Judges files by their order.
   *
   * @param evidence whether a right line is among what they stand for
   */
  Verdict judge(List<String> named, boolean evidence) {
    List<String> counted = named.subList(0, Math.min(FILES, named.size()));
    return new Verdict(
        !counted.isEmpty() && right(counted.getFirst()),
        counted.stream().limit(FIRST_FILES).anyMatch(this::right),
        counted.stream().anyMatch(this::right),
        evidence);
  }
}
