package dev.colony.examples;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.author.JsonValues;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** What a model plans for the review example, level by level. */
final class ReviewScript {

  /** Asks for the first level. */
  static final String STEPS = "Plan how your goals are reached.";

  private static final String EACH_FILE = "for each file: check the file for open ends";

  private ReviewScript() {}

  /** The survey, the parts of the tree, the report. */
  static ObjectNode steps() {
    String text =
        """
        {"actions": [
          {"name": "survey_tree", "action": "survey_tree", "parameters": {}},
          {"name": "parts", "goal": "For each part: %s", "input": "$results.survey_tree"},
          {"name": "publish_report", "action": "publish_report",
           "parameters": {"report": "$results.parts"}, "after": ["parts"]}],
         "result": "$results.publish_report"}
        """
            .formatted(EACH_FILE);
    try {
      return (ObjectNode) JsonValues.parse(text);
    } catch (JsonProcessingException malformed) {
      throw new IllegalStateException(malformed);
    }
  }

  static boolean asksForParts(String prompt, Map<String, List<String>> parts) {
    return prompt.contains("Plan how its goal is reached: For each part")
        && parts.values().stream().flatMap(List::stream).allMatch(prompt::contains);
  }

  /** A part of the plan for each part of the tree. */
  static ObjectNode parts(Map<String, List<String>> parts) {
    ObjectNode plan = JsonNodeFactory.instance.objectNode();
    ObjectNode result = JsonNodeFactory.instance.objectNode();
    new TreeMap<>(parts)
        .forEach((part, files) -> {
          ObjectNode one = plan.withArray("/actions").addObject();
          one.put("name", part).put("goal", EACH_FILE);
          files.forEach(one.putObject("input").put("part", part).putArray("files")::add);
          result.put(part, "$results." + part);
        });
    plan.set("result", result);
    return plan;
  }

  static boolean asksForFiles(String prompt, String part, List<String> files) {
    return prompt.contains("Plan how its goal is reached: " + EACH_FILE + " (parts." + part + ")")
        && files.stream().allMatch(prompt::contains);
  }

  /** A check for each file. */
  static ObjectNode files(List<String> files) {
    ObjectNode plan = JsonNodeFactory.instance.objectNode();
    ObjectNode result = JsonNodeFactory.instance.objectNode();
    for (String file : files) {
      String name =
          file.substring(file.lastIndexOf('/') + 1, file.lastIndexOf('.')) + "-check_file";
      plan.withArray("/actions")
          .addObject()
          .put("name", name)
          .put("action", "check_file")
          .putObject("parameters")
          .put("path", file);
      result.put(name, "$results." + name);
    }
    plan.set("result", result);
    return plan;
  }

  /** The plan comes to what the other steps give. */
  static ObjectNode without(String step) {
    ObjectNode plan = JsonNodeFactory.instance.objectNode().put("mode", "add");
    plan.putArray("actions");
    ObjectNode result = plan.putObject("result");
    for (String other : List.of("survey_tree", "parts", "publish_report")) {
      if (!other.equals(step)) {
        result.put(other, "$results." + other);
      }
    }
    return plan;
  }
}
