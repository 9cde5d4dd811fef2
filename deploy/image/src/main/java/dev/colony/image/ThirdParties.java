package dev.colony.image;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * The libraries of others in a bill of materials (CycloneDX), and the list of them with the texts
 * of their licences. A library is taken only under a licence that goes with Apache-2.0.
 *
 * @param libraries in the order of their names
 * @param texts of the licences, by their SPDX names
 * @param redis the licence of Redis, whose servers embedded-redis carries
 */
record ThirdParties(List<Library> libraries, Map<String, String> texts, String redis) {

  private static final int REFUSED = 2;

  /**
   * What a work under Apache-2.0 may ship with: category A of the Apache Software Foundation, and
   * of category B, unchanged, EPL and MPL.
   */
  private static final Set<String> COMPATIBLE =
      Set.of(
          "Apache-2.0",
          "BSD-2-Clause",
          "BSD-3-Clause",
          "CC0-1.0",
          "EPL-2.0",
          "MIT",
          "MIT-0",
          "MPL-2.0");

  /** Those whose copies must carry the notice of who has the copyright. */
  private static final Set<String> WITH_NOTICE = Set.of("BSD-2-Clause", "BSD-3-Clause", "MIT");

  private static final String OURS = "dev.colony";

  /** One library, with the licences to choose from; the copyright is empty where none is known. */
  record Library(
      String group, String name, String version, List<String> licences, String copyright) {

    String id() {
      return group + ":" + name;
    }

    /** The licence that it is taken under. */
    Optional<String> licence() {
      return licences.stream().filter(COMPATIBLE::contains).findFirst();
    }

    /** Why it must not ship; empty if it may. */
    Optional<String> problem(Map<String, String> texts) {
      if (licence().isEmpty()) {
        return Optional.of(
            id()
                + ": no licence that is known to go with Apache-2.0 "
                + licences
                + ": take another library, or correct the licence in legal/notices.txt");
      }
      String taken = licence().get();
      if (!texts.containsKey(taken)) {
        return Optional.of(id() + ": the text of " + taken + " is missing");
      }
      return WITH_NOTICE.contains(taken) && copyright.isEmpty()
          ? Optional.of(
              id() + ": " + taken + " asks for its copyright: add it to legal/notices.txt")
          : Optional.empty();
    }
  }

  /** What is said of a library beside the bill of materials. */
  private record Notice(String licence, String copyright) {}

  /**
   * Prints the list; {@code lay-out} starts it. Ends with status {@value #REFUSED} and a line for
   * each library that must not ship, where there are some.
   *
   * @param args the bill of materials, and the folder of what it does not say
   */
  public static void main(String... args) throws IOException {
    ThirdParties parties = read(Path.of(args[0]), Path.of(args[1]));
    if (!parties.problems().isEmpty()) {
      parties.problems().forEach(System.err::println);
      System.exit(REFUSED);
    }
    System.out.print(parties.text());
  }

  /**
   * Reads a bill of materials with the texts of licences in it.
   *
   * @param legal the folder of what it does not say: corrections, copyrights, two licences
   */
  static ThirdParties read(Path bom, Path legal) throws IOException {
    Map<String, Notice> notices = notices(legal.resolve("notices.txt"));
    Map<String, String> texts = new TreeMap<>();
    List<Library> libraries = new ArrayList<>();
    for (JsonNode component :
        new ObjectMapper().readTree(Files.readString(bom)).get("components")) {
      if (component.path("group").asText().equals(OURS)) {
        continue;
      }
      List<String> licences = new ArrayList<>();
      for (JsonNode choice : component.path("licenses")) {
        JsonNode licence = choice.path("license");
        String name = licence.path("id").asText(licence.path("name").asText());
        licences.add(name);
        String text = licence.at("/text/content").asText();
        if (!text.isEmpty()) {
          texts.putIfAbsent(
              name, new String(Base64.getMimeDecoder().decode(text), StandardCharsets.UTF_8));
        }
      }
      String group = component.path("group").asText();
      String name = component.path("name").asText();
      Notice notice = notices.getOrDefault(group + ":" + name, new Notice("", ""));
      libraries.add(
          new Library(
              group,
              name,
              component.path("version").asText(),
              notice.licence().isEmpty() ? List.copyOf(licences) : List.of(notice.licence()),
              notice.copyright()));
    }
    texts.putIfAbsent("MPL-2.0", Files.readString(legal.resolve("mpl-2.0.txt")));
    libraries.sort(Comparator.comparing(Library::id));
    return new ThirdParties(
        List.copyOf(libraries), texts, Files.readString(legal.resolve("redis.txt")));
  }

  /** Why libraries must not ship, a line each; empty if all may. */
  List<String> problems() {
    return libraries.stream().flatMap(library -> library.problem(texts).stream()).toList();
  }

  /** The list, with the text of each licence once. */
  String text() {
    StringBuilder list =
        new StringBuilder("The libraries of others in this product, and their licences.\n\n");
    Map<String, String> used = new LinkedHashMap<>();
    for (Library library : libraries) {
      String licence = library.licence().orElseThrow();
      used.putIfAbsent(licence, texts.get(licence));
      list.append("%s %s: %s%n".formatted(library.id(), library.version(), licence));
      if (!library.copyright().isEmpty()) {
        list.append("    ").append(library.copyright()).append('\n');
      }
    }
    list.append("Redis, in embedded-redis: BSD-3-Clause, its text is the last one below\n");
    used.forEach((licence, text) -> section(list, licence, text));
    section(list, "Redis", redis);
    return list.toString();
  }

  private static void section(StringBuilder list, String title, String text) {
    list.append("\n\n---- ").append(title).append(" ----\n\n").append(text.strip()).append('\n');
  }

  private static Map<String, Notice> notices(Path file) throws IOException {
    Map<String, Notice> notices = new TreeMap<>();
    Files.readString(file)
        .lines()
        .filter(line -> !line.isBlank() && !line.startsWith("#"))
        .map(line -> line.split("\\|", 3))
        .forEach(
            parts -> notices.put(parts[0].strip(), new Notice(parts[1].strip(), parts[2].strip())));
    return notices;
  }
}
