package dev.colony.library.research;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentId;
import dev.colony.agent.Blueprint;
import dev.colony.agent.author.TypeProvider;
import dev.colony.agent.client.AgentHandle;
import dev.colony.agent.client.Colony;
import dev.colony.library.page.SourceCapability;
import dev.colony.library.page.SourceTrees.RecentlyUsed;
import dev.colony.vcm.PageGroup;
import dev.colony.vcm.PageGroupId;
import dev.colony.vcm.PageId;
import dev.colony.vcm.PageMap;
import dev.colony.vcm.PageStore;
import dev.colony.vcm.VirtualContextPage;
import dev.colony.vcm.mapping.PageIndex;
import dev.colony.vcm.mapping.PageIndex.PageHit;
import dev.colony.vcm.mapping.PageIndex.PassageHit;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.concurrent.CompletionStage;

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

  /**
   * The event of a reader's run that it has searched: among how many {@code places} the model
   * chooses, and the best of them as the {@code hits} of an {@link Answer}.
   */
  public static final String SEARCHED = "searched";

  /** The event of a reader's run that the model reads: how many {@code places}. */
  public static final String READS = "reads";

  /** The event of a reader's run that its model looks by itself: in which {@code turn} it is. */
  public static final String LOOKS = "looks";

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
    types.add(ReaderPolicy.class);
    types.add(ReaderCapability.class);
    types.add(CoordinatorPolicy.class);
    types.add(AnalystPolicy.class);
    types.add(CoordinatorCapability.class);
    types.add(AnalystCapability.class);
    types.add(LoadingPolicy.class);
  }

  /**
   * An agent that answers {@link Question}s with an {@link Answer}: it searches for places, and its
   * model reads those that it chooses. For what a few places tell.
   */
  public static AgentBlueprint reader() {
    return AgentBlueprint.of(
        Blueprint.bind(ReaderPolicy.class), Blueprint.bind(ReaderCapability.class));
  }

  /** The same by analysts who read whole pages: for what stands in many places. */
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

  /**
   * The analysts of page groups. They are no agent's children, since every question about a group
   * goes to the same one: there are as many as there are groups, however many agents ask. A service
   * of the node.
   */
  public static final class Analysts {

    private final Colony colony;

    public Analysts(Colony colony) {
      this.colony = colony;
    }

    /** The analyst of a group in the asker's colony, spawned if need be. */
    CompletionStage<AgentHandle> of(AgentId asker, PageGroupId group) {
      return colony.spawn(
          new AgentId(asker.tenant(), asker.colony(), "analyst-" + group.value()),
          ResearchTypes.analyst(group));
    }
  }

  /**
   * The indexes over the maps that were asked about last on this node, built from the page store
   * when a map is first asked about. Thread-safe; blocks, and builds one index at a time while
   * others are searched.
   */
  public static final class MapIndexes {

    /** Each takes about as much memory as its pages' text. */
    private static final int KEPT = 4;

    private final PageStore pages;
    private final int threads;
    private final RecentlyUsed<String, PageIndex> byMap =
        new RecentlyUsed<>(KEPT, Long.MAX_VALUE, index -> 0);

    /**
     * @param threads how many of them build an index
     */
    public MapIndexes(PageStore pages, int threads) {
      this.pages = pages;
      this.threads = threads;
    }

    /**
     * The pages of a map that can answer a question, best first; empty means none can.
     *
     * @param queries the question, and others whose rankings are fused with its own
     */
    List<PageHit> search(PageMap map, List<String> queries, int limit) {
      return index(map).search(queries, limit);
    }

    /**
     * The passages of a map that can answer a question, best first; empty means none can.
     *
     * @param queries the question, and others whose rankings are fused with its own
     */
    public List<PassageHit> passages(PageMap map, List<String> queries, int limit) {
      return index(map).passages(queries, limit);
    }

    private PageIndex index(PageMap map) {
      PageIndex.JAR.require("a search of pages");
      return byMap.get(map.id(), id -> PageIndex.of(textOf(map), threads, PageIndex.PASSAGE_LINES));
    }

    private List<VirtualContextPage> textOf(PageMap map) {
      List<PageId> ids = map.groups().stream().map(PageGroup::pages).flatMap(List::stream).toList();
      return pages.pages(ids);
    }
  }
}
