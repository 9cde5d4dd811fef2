package dev.colony.core.registry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.Blueprint;
import dev.colony.agent.CapabilityBlueprint;
import dev.colony.agent.RunBudget;
import dev.colony.agent.author.JsonValues;
import dev.colony.agent.stream.ConsciousnessStream;
import dev.colony.library.capability.ChildrenCapability;
import dev.colony.library.context.MemoryCapability;
import dev.colony.library.context.MemoryCapability.MemoryArgs;
import dev.colony.library.context.Salience;
import dev.colony.library.policy.JSONStreamFormatter;
import dev.colony.library.policy.MinimalActionPolicy;
import dev.colony.library.policy.PlannerArgs;
import dev.colony.library.policy.StreamFilters.EventContextKeyFilter;
import dev.colony.library.policy.StreamFilters.Not;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Agents as people describe them in files, and what they are told of what is wrong. */
class BlueprintFileTest {

  private static final AgentTypes TYPES = AgentTypes.installed();

  private static final String MEMORY =
      """
      {
        "type": "memory",
        "namespace": "memory",
        "args": {"maxEntries": 1000, "maxTextChars": 500, "window": 8, "remembersActions": true,
            "salience": %s}
      }\
      """
          .formatted(MemoryCapability.bind().what().args().get("salience"));

  @Test
  void aFileSaysWhatABlueprintSays() {
    BlueprintFile file =
        read(
            """
            // Keeps notes.
            {
              "name": "notes",
              "role": "You keep the notes of a small office.", /* who it is */
              "goals": "Store what you are asked to remember",
              "constraints": ["Never store a password"],
              "policy": "minimal",
              "capabilities": [%s],
              "streams": [
                {
                  "name": "news",
                  "formatter": {"type": "json", "args": {"sectionTitle": "## News", "maxValueLength": 40}},
                  "filters": {"event": {"type": "not", "args": {
                      "filter": {"type": "event-context-key", "args": {"keys": ["noise"]}}}}},
                },
              ],
              "budget": {"iterations": 20, "time": "PT5M"},
            }
            """
                .formatted(MEMORY));
    assertThat(file.name()).contains("notes");
    assertThat(file.blueprint())
        .isEqualTo(
            AgentBlueprint.of(
                    MinimalActionPolicy.class,
                    PlannerArgs.NONE
                        .role("You keep the notes of a small office.")
                        .goals("Store what you are asked to remember")
                        .constraints("Never store a password"))
                .capability(MemoryCapability.bind())
                .stream(
                    ConsciousnessStream.bind(
                            "news",
                            Blueprint.bind(
                                JSONStreamFormatter.class,
                                new JSONStreamFormatter.Args("## News", 40)))
                        .events(Not.bind(EventContextKeyFilter.bind("noise"))))
                .budget(RunBudget.OF_NODE.iterations(20).time(Duration.ofMinutes(5))));
  }

  /** What the HTTP API takes, and what Java programs spawn, are files too. */
  @Test
  void theStoredFormIsAFileToo() {
    AgentBlueprint clerk =
        AgentBlueprint.of(MinimalActionPolicy.class)
            .capability(MemoryCapability.bind().exclude("memory_search").approve("memory_write"));
    AgentBlueprint boss =
        AgentBlueprint.of(MinimalActionPolicy.class)
            .capability(
                CapabilityBlueprint.of(
                    ChildrenCapability.class,
                    new ChildrenCapability.Kinds(Map.of("clerk", clerk))));
    assertThat(read(boss.toJson().toPrettyString()).blueprint()).isEqualTo(boss);
  }

  @Test
  void whatIsLeftOutIsAsTheTypeHasIt() {
    assertThat(read("{\"policy\": \"minimal\", \"capabilities\": [\"memory\"]}").blueprint())
        .isEqualTo(
            AgentBlueprint.of(MinimalActionPolicy.class)
                .capability(
                    CapabilityBlueprint.of(MemoryCapability.class, MemoryArgs.DEFAULT)
                        .namespace("memory")));
    assertThat(
            read("""
            {"policy": "minimal", "capabilities": [{"type": "memory", "args": {
              "window": 3, "salience": {"recency": 2}}}]}
            """)
                .blueprint())
        .isEqualTo(
            AgentBlueprint.of(MinimalActionPolicy.class)
                .capability(
                    CapabilityBlueprint.of(
                            MemoryCapability.class,
                            MemoryArgs.DEFAULT.window(3).salience(new Salience(2, 1, 1, 0.995)))
                        .namespace("memory")));
    assertThat(problems("{\"policy\": \"scripted\",\n\"capabilities\": [\"children\"]}"))
        .hasSize(2)
        .allSatisfy(one -> assertThat(one).contains("required property"));
  }

  @Test
  void agentsWithinArgumentsAreWrittenAlike() {
    BlueprintFile file =
        read(
            """
            {
              "policy": {"type": "minimal", "args": {"role": "You lead."}},
              "capabilities": [{
                "type": "children",
                "args": {"kinds": {"clerk": {"policy": "minimal", "role": "You work."}}}
              }]
            }
            """);
    JsonNode kinds = file.blueprint().capabilities().getFirst().what().args().path("kinds");
    assertThat(AgentBlueprint.fromJson(kinds.path("clerk")))
        .isEqualTo(
            AgentBlueprint.of(MinimalActionPolicy.class, PlannerArgs.NONE.role("You work.")));
    assertThat(file.name()).isEmpty();
  }

  @Test
  void allProblemsAreToldAtOnceEachWithItsPlace() {
    assertThat(
            problems(
                """
                {
                  "name": "no name",
                  "polcy": "minimal",
                  "policy": "minimel",
                  "goals": 7,
                  "capabilities": [
                    "memry",
                    {"type": "memory", "args": {"maxEntries": 0, "maxTextChars": "500", "win": 8}},
                    {"type": "agent.children", "key": "a b", "args": {"kinds": {
                      "clerk": {"policy": "minimal", "gaols": ["x"]}
                    }}}
                  ],
                  "streams": [{"name": "s", "formatter": "conversations", "maxEntries": 0}],
                  "budget": {"time": "soon", "steps": 4},
                  "resources": {"priority": 101},
                  "kind": "SPY"
                }
                """))
        .satisfiesExactly(
            one -> assertThat(one).startsWith("2:11: ").contains("no name"),
            one ->
                assertThat(one)
                    .startsWith(
                        "3:3: an agent's blueprint has no field polcy: did you mean policy? it"
                            + " has [budget, capabilities,"),
            one ->
                assertThat(one)
                    .startsWith(
                        "4:13: no policy minimel is registered: did you mean colony.minimal? there"
                            + " are ["),
            one ->
                assertThat(one)
                    .startsWith("7:5: no capability memry is registered: did you mean memory?"),
            one -> assertThat(one).startsWith("8:47: ").contains("minimum value of 1"),
            one -> assertThat(one).startsWith("8:66: ").contains("string found, integer expected"),
            one -> assertThat(one).startsWith("8:73: ").contains("'win'"),
            one -> assertThat(one).startsWith("9:39: a capability's key is 1 to 128 characters"),
            one ->
                assertThat(one)
                    .startsWith(
                        "10:38: an agent's blueprint has no field gaols: did you mean goals?"),
            one ->
                assertThat(one)
                    .startsWith("13:42: no formatter conversations is registered: did you mean"),
            one -> assertThat(one).startsWith("13:73: maxEntries is 0, but must be 1 to 1000"),
            one ->
                assertThat(one)
                    .startsWith("14:22: the field time of a run's budget is a duration as in PT5M"),
            one -> assertThat(one).startsWith("14:39: a run's budget has no field steps; it has"),
            one -> assertThat(one).startsWith("15:29: priority is 101, but must be 0 to 100"),
            one ->
                assertThat(one)
                    .startsWith(
                        "16:11: the field kind of an agent's blueprint is a kind of agent"));
  }

  @Test
  void argumentsBesideThePolicyAreItsArguments() {
    assertThat(problems("{\n\"policy\": \"minimal\",\n \"goals\": [7]}"))
        .singleElement()
        .asString()
        .startsWith("3:12: the arguments of colony.minimal do not fit: integer found, string");
    assertThat(problems("{\"policy\": \"event-driven\",\n \"role\": \"You.\"}"))
        .singleElement()
        .isEqualTo("2:2: colony.event-driven takes no role");
    assertThat(
            problems(
                "{\"role\": \"You.\", \"policy\": {\"type\": \"minimal\",\n"
                    + "\"args\": {\"role\": \"I.\"}}}"))
        .singleElement()
        .isEqualTo("2:10: role stands beside the policy, too: leave out one of them");
  }

  @Test
  void anArgumentThatBelongsInAnotherIsSentThere() {
    assertThat(problems("{\"policy\": \"cache-aware\",\n \"role\": \"You.\"}"))
        .singleElement()
        .isEqualTo("2:2: colony.cache-aware takes no role; role belongs in planner");
    assertThat(
            problems("{\"policy\": {\"type\": \"cache-aware\",\n\"args\": {\"goals\": [\"x\"]}}}"))
        .singleElement()
        .asString()
        .startsWith("2:10: the arguments of colony.cache-aware do not fit: ")
        .endsWith("; goals belongs in planner");
    assertThatThrownBy(() ->
            TYPES.check(
                AgentBlueprint.of(
                    new Blueprint(
                        "colony.cache-aware",
                        1,
                        JsonNodeFactory.instance.objectNode().put("role", "You.")))))
        .hasMessageContaining("; role belongs in planner");
  }

  @Test
  void anActionThatIsNamedIsThere() {
    String capability =
        MEMORY.replace(
            "\"namespace\"",
            "\"excludeActions\": [\"memory_read\",\n\"memory_reed\"], \"approveActions\": [\"x\"],"
                + " \"namespace\"");
    assertThat(problems("{\"policy\": \"minimal\", \"capabilities\": [" + capability + "]}"))
        .satisfiesExactly(
            one ->
                assertThat(one)
                    .startsWith(
                        "4:1: it excludes the action memory_reed, which it does not have; it has"
                            + " [memory_forget, memory_read,"),
            one ->
                assertThat(one)
                    .startsWith("4:36: it asks for approval of the action x, which it does not"));
    String joined =
        MEMORY.replace("\"namespace\"", "\"excludeActions\": [\"memory.read\"], \"namespace\"");
    assertThat(problems("{\"policy\": \"minimal\", \"capabilities\": [" + joined + "]}"))
        .singleElement()
        .asString()
        .contains(
            "the action memory.read, which it does not have: did you mean memory_read? it has");
  }

  @Test
  void whatOnlyTheWholeShowsStandsAtItsBeginning() {
    String two = "{\"policy\": \"minimal\", \"capabilities\": [" + MEMORY + ", " + MEMORY + "]}";
    assertThat(problems("\n " + two))
        .singleElement()
        .isEqualTo("2:2: two capabilities of an agent are named memory: give one another key");
    assertThat(problems("{\"policy\": \"minimal\", \"kind\": \"VCM_BOUND\"}"))
        .singleElement()
        .isEqualTo("1:31: an agent that is VCM-bound needs a group of pages");
    assertThat(problems("{\"policy\": {\"type\": \"scripted\", \"args\": {\"rules\": []}}}"))
        .singleElement()
        .asString()
        .startsWith("1:41: ")
        .contains("a script needs at least one rule");
  }

  @Test
  void whatIsNoJsonIsToldWhere() {
    assertThat(problems("")).containsExactly("1:1: this is no JSON: there is nothing in it");
    assertThat(problems("{\n  \"policy\": minimal\n}"))
        .singleElement()
        .asString()
        .startsWith("2:")
        .contains("this is no JSON: Unrecognized token 'minimal'");
    assertThat(problems("{\"policy\": \"minimal\",\n\"policy\": \"scripted\"}"))
        .singleElement()
        .asString()
        .startsWith("2:")
        .contains("Duplicate field 'policy'");
    assertThat(problems("{\n\"policy\": \"minimal\""))
        .singleElement()
        .asString()
        .contains("that began at line 1, column 1");
    assertThat(problems("{\"policy\": \"minimal\"} {}")).hasSize(1);
    assertThat(problems("[".repeat(200)))
        .singleElement()
        .asString()
        .contains("this is no JSON: ", "100");
    assertThat(problems("[]"))
        .containsExactly("1:1: an agent's blueprint is a JSON object, not: a list");
    assertThat(problems("{}"))
        .singleElement()
        .asString()
        .startsWith(
            "1:1: an agent needs a policy, for example \"policy\": \"minimal\"; there are [");
    assertThat(problems("\"" + "x".repeat(BlueprintFile.MAX_BYTES) + "\""))
        .singleElement()
        .asString()
        .contains("more than 524,288");
  }

  @Test
  void eachPartOfAnotherShapeIsRefusedWhereItStands() {
    for (String part :
        List.of(
            "\"name\": 7",
            "\"capabilities\": {}",
            "\"capabilities\": [7]",
            "\"capabilities\": [{\"key\": \"k\"}]",
            "\"streams\": \"s\"",
            "\"streams\": [\"s\"]",
            "\"streams\": [{\"name\": \"s\"}]",
            "\"streams\": [{\"name\": \"s\", \"formatter\": \"conversation\", \"filters\": []}]",
            "\"budget\": 7",
            "\"budget\": []",
            "\"resources\": \"many\"",
            "\"model\": \"large\"",
            "\"model\": {\"name\": 7}",
            "\"pages\": []",
            "\"kind\": null, \"pages\": 7")) {
      assertThat(problems("{\"policy\": \"minimal\",\n" + part + "}"))
          .as(part)
          .isNotEmpty()
          .allSatisfy(one -> assertThat(one).startsWith("2:").doesNotContain("\n"));
    }
    for (String policy : List.of("7", "{}", "[]", "{\"type\": 7}", "\"memory\"")) {
      assertThat(problems("{\n\"policy\": " + policy + "}"))
          .as(policy)
          .singleElement()
          .asString()
          .startsWith("2:");
    }
    assertThat(problems("{\n\"policy\": {\"type\": \"minimal\", \"version\": 9}}"))
        .singleElement()
        .asString()
        .contains("is known here up to version 1, not 9");
    assertThat(problems("{\n\"policy\": {\"type\": \"minimal\", \"argz\": {}}}"))
        .singleElement()
        .isEqualTo(
            "2:31: a policy has no field argz: did you mean args? it has [args, type, version]");
  }

  private static BlueprintFile read(String text) {
    return switch (BlueprintFile.read(text, TYPES)) {
      case BlueprintFile.Read read -> read.file();
      case BlueprintFile.Refused refused ->
          throw new AssertionError(
              String.join("\n", refused.problems().stream().map(Object::toString).toList()));
    };
  }

  private static List<String> problems(String text) {
    return switch (BlueprintFile.read(text, TYPES)) {
      case BlueprintFile.Read read -> throw new AssertionError(JsonValues.toJson(read.file()));
      case BlueprintFile.Refused refused ->
          refused.problems().stream().map(Object::toString).toList();
    };
  }
}
