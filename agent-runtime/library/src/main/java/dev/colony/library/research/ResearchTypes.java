package dev.colony.library.research;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.Blueprint;
import dev.colony.agent.author.TypeProvider;
import dev.colony.library.page.SourceCapability;
import dev.colony.vcm.PageGroupId;
import java.io.UncheckedIOException;

/** The types of this package, and the blueprints made of them. */
public final class ResearchTypes implements TypeProvider {

  /**
   * The event of a coordinator's run that an analyst has answered: {@code done} {@code of} all, and
   * the places of the lines that it {@code found}, as in {@code src/Main.java:12}.
   */
  public static final String ANSWERED = "answered";

  /**
   * The event of a coordinator's run that all have: the places of the {@code strongest} lines that
   * they have found, strongest first, from which the answer is composed.
   */
  public static final String COMPARED = "compared";

  /** The event of a {@link #loading} run that a group of pages is loaded: its output as of then. */
  public static final String LOADED = "loaded";

  /** How many pages a question is put to at most. */
  public static final int PAGES = 12;

  /** How many more it is put to at most in each later round. */
  private static final int LATER_PAGES = 6;

  /** How many passages are judged at most. */
  private static final int PASSAGES = CoordinatorPolicy.Args.DEFAULT.passages();

  private static final CoordinatorCapability.Limits LIMITS =
      new CoordinatorCapability.Limits(PAGES, LATER_PAGES, PASSAGES);

  @Override
  public void register(Types types) {
    types.add(CoordinatorPolicy.class);
    types.add(AnalystPolicy.class);
    types.add(CoordinatorCapability.class);
    types.add(AnalystCapability.class);
    types.add(LoadingPolicy.class);
  }

  /** An agent that answers {@link Question}s with an {@link Answer}. */
  public static AgentBlueprint coordinator() {
    return AgentBlueprint.of(
        Blueprint.bind(CoordinatorPolicy.class, CoordinatorPolicy.Args.DEFAULT),
        Blueprint.bind(CoordinatorCapability.class, LIMITS));
  }

  /**
   * The same where another policy decides which of the coordinator's actions it takes: the run's
   * input has the fields {@code question}, {@code text} with the same, and {@code map}.
   */
  public static AgentBlueprint coordinator(Blueprint policy) {
    return AgentBlueprint.of(policy, Blueprint.bind(CoordinatorCapability.class, LIMITS));
  }

  /**
   * An agent that has the pages of a map loaded into the caches of the replicas where its analysts
   * are: of the {@code map} that its run's input names, so many groups in its order as have no more
   * than {@code tokens} together. The output says how many pages of the map's ({@code of}) were
   * there ({@code resident}), were {@code loaded} and have {@code failed}, the {@code reasons} of
   * these, each with its number of pages, and the {@code stats} of the analysts' runs. A map that
   * there is not, or that the agent's tenant may not read, fails the run.
   */
  public static AgentBlueprint loading() {
    return AgentBlueprint.of(Blueprint.bind(LoadingPolicy.class, LoadingPolicy.Args.DEFAULT));
  }

  /** An agent that reads the pages that it is asked about. */
  public static AgentBlueprint analyst() {
    return AgentBlueprint.of(
        Blueprint.bind(AnalystPolicy.class, AnalystPolicy.Args.DEFAULT),
        Blueprint.bind(AnalystCapability.class, AnalystCapability.Args.DEFAULT),
        Blueprint.bind(SourceCapability.class, SourceCapability.Args.NONE));
  }

  /** The same, bound to the pages of one group. */
  static AgentBlueprint analyst(PageGroupId group) {
    return analyst().pages(group);
  }

  /** The package's records as JSON trees and back. */
  static final class Json {

    private static final JsonMapper MAPPER = JsonMapper.builder().build();

    private Json() {}

    static JsonNode of(Object value) {
      return MAPPER.valueToTree(value);
    }

    /** Reads a record; what does not fit is an IllegalArgumentException that says why. */
    static <T> T read(JsonNode json, Class<T> type) {
      return MAPPER.convertValue(json, type);
    }

    static JsonNode parse(String text) {
      try {
        return MAPPER.readTree(text);
      } catch (JsonProcessingException failure) {
        throw new UncheckedIOException(failure);
      }
    }
  }
}
