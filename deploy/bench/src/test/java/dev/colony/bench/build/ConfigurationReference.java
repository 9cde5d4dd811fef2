package dev.colony.bench.build;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import com.typesafe.config.ConfigObject;
import com.typesafe.config.ConfigRenderOptions;
import com.typesafe.config.ConfigResolveOptions;
import com.typesafe.config.ConfigValue;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** All settings of ours, as a document, from the files that define them. */
final class ConfigurationReference {

  private static final Pattern VARIABLE = Pattern.compile("\\$\\{\\?(COLONY_[A-Z_]+|HOSTNAME)\\}");
  private static final String SENTINEL = "from-the-environment";

  private record File(String module, Path path) {}

  private record Section(String path, String meaning, int line, List<Setting> settings) {}

  private record Setting(
      String path, String value, String meaning, List<String> variables, int line) {}

  private static final List<File> FILES =
      List.of(
          new File("deploy: the node", Path.of("deploy/server/src/main/resources/reference.conf")),
          new File("deploy: commands", Path.of("deploy/cli/src/main/resources/reference.conf")),
          new File("blackboard", Path.of("blackboard/src/main/resources/reference.conf")),
          new File(
              "agent-runtime: the node",
              Path.of("agent-runtime/node/src/main/resources/reference.conf")),
          new File(
              "agent-runtime: the journal",
              Path.of("agent-runtime/journal/src/main/resources/reference.conf")),
          new File(
              "agent-runtime: what an agent may do",
              Path.of("agent-runtime/core/src/main/resources/reference.conf")),
          new File(
              "agent-runtime: handles",
              Path.of("agent-runtime/client/src/main/resources/reference.conf")),
          new File(
              "agent-runtime: policies and streams",
              Path.of("agent-runtime/api/src/main/resources/reference.conf")),
          new File(
              "agent-runtime: context",
              Path.of("agent-runtime/library/src/main/resources/reference.conf")),
          new File(
              "agent-runtime: MCP servers",
              Path.of("agent-runtime/mcp/src/main/resources/reference.conf")),
          new File(
              "agent-runtime: code cells",
              Path.of("agent-runtime/code/src/main/resources/reference.conf")),
          new File("vcm-cache", Path.of("vcm-cache/pages/src/main/resources/reference.conf")),
          new File(
              "vcm-cache: documents",
              Path.of("vcm-cache/documents/src/main/resources/reference.conf")),
          new File(
              "inference-gateway",
              Path.of("inference-gateway/gateway/src/main/resources/reference.conf")),
          new File(
              "inference-gateway: the embedded replica",
              Path.of("inference-gateway/embedded-replica/src/main/resources/reference.conf")));

  private ConfigurationReference() {}

  /** The lists, one for each section of each file, in the files' order. */
  static String of(Path root) throws IOException {
    StringBuilder text = new StringBuilder();
    for (File file : FILES) {
      text.append("\n## ")
          .append(file.module())
          .append("\n\nIn [")
          .append(file.path().getFileName())
          .append("](../../")
          .append(file.path())
          .append(").\n");
      for (Section section : sections(root.resolve(file.path()))) {
        text.append("\n### `").append(section.path()).append("`\n\n");
        if (!section.meaning().isEmpty()) {
          text.append(section.meaning()).append("\n\n");
        }
        for (Setting setting : section.settings()) {
          String key = setting.path().substring(section.path().length() + 1);
          text.append(
              "- `%s`%s = %s%s\n"
                  .formatted(key, names(setting.variables()), setting.value(), meaning(setting)));
        }
      }
    }
    return text.toString();
  }

  /** A key without a comment shares that of the one before it, or of its section. */
  private static String meaning(Setting setting) {
    return setting.meaning().isEmpty() ? "" : ": " + setting.meaning();
  }

  private static String names(List<String> variables) {
    return variables.isEmpty()
        ? ""
        : variables.stream()
            .map(name -> "`" + name + "`")
            .collect(Collectors.joining(", ", " (", ")"));
  }

  private static List<Section> sections(Path file) throws IOException {
    String source = Files.readString(file);
    Map<String, List<String>> overridden = overridden(source);
    Map<String, Section> sections = new TreeMap<>();
    Config own = resolved(source, Map.of());
    walk("", own.root(), "", overridden, sections);
    return sections.values().stream()
        .map(section ->
            new Section(
                section.path(),
                section.meaning(),
                section.line(),
                section.settings().stream()
                    .sorted(Comparator.comparingInt(Setting::line))
                    .toList()))
        .sorted(Comparator.comparingInt(section -> section.settings().getFirst().line()))
        .toList();
  }

  private static void walk(
      String path,
      ConfigObject object,
      String meaning,
      Map<String, List<String>> overridden,
      Map<String, Section> sections) {
    for (Map.Entry<String, ConfigValue> entry : object.entrySet()) {
      ConfigValue value = entry.getValue();
      String own = path.isEmpty() ? entry.getKey() : path + "." + entry.getKey();
      String comment = comment(value);
      if (value instanceof ConfigObject inner && !inner.isEmpty()) {
        walk(own, inner, comment, overridden, sections);
      } else {
        sections
            .computeIfAbsent(
                path,
                any -> new Section(path, meaning, object.origin().lineNumber(), new ArrayList<>()))
            .settings()
            .add(
                new Setting(
                    own,
                    value(value),
                    comment,
                    overridden.getOrDefault(own, List.of()),
                    value.origin().lineNumber()));
      }
    }
  }

  private static String comment(ConfigValue value) {
    return value.origin().comments().stream().map(String::strip).collect(Collectors.joining(" "));
  }

  private static String value(ConfigValue value) {
    return "`" + value.render(ConfigRenderOptions.concise()) + "`";
  }

  /** Which variables change which key: those whose value the key has when they are set. */
  private static Map<String, List<String>> overridden(String source) {
    Map<String, List<String>> overridden = new TreeMap<>();
    Matcher variable = VARIABLE.matcher(source);
    while (variable.find()) {
      String name = variable.group(1);
      resolved(source, Map.of(name, SENTINEL)).entrySet().stream()
          .filter(entry -> SENTINEL.equals(entry.getValue().unwrapped()))
          .forEach(entry ->
              overridden.computeIfAbsent(entry.getKey(), any -> new ArrayList<>()).add(name));
    }
    return overridden;
  }

  private static Config resolved(String source, Map<String, String> environment) {
    return ConfigFactory.parseString(source.replaceFirst("(?m)^include .*$", ""))
        .withFallback(ConfigFactory.parseMap(environment))
        .resolve(ConfigResolveOptions.noSystem())
        .withOnlyPath("colony");
  }
}
