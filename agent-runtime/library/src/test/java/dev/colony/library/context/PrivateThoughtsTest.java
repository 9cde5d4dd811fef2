package dev.colony.library.context;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.agent.Blueprint;
import dev.colony.core.registry.AgentTypes;
import dev.colony.library.context.ContextBuilder.ContextRequest;
import dev.colony.library.context.ContextBuilder.PromptContext;
import dev.colony.library.context.ContextTypes.LineList;
import dev.colony.library.context.StageEvent.StageKind;
import java.util.List;
import java.util.stream.IntStream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;

/** What holds for stages and prompts whatever happens on the stage. */
class PrivateThoughtsTest {

  private static final List<String> CAST = List.of("ada", "bob", "cy");
  private static final List<ContextBuilder> ROLES =
      List.of(
          builder(ContextRole.worker()),
          builder(ContextRole.judge()),
          builder(
              ContextRole.judge()
                  .before(ContextRole.MEMORY, "telling", Blueprint.bind(TellingLayer.class))));

  private static ContextBuilder builder(ContextRole role) {
    return ContextBuilder.of(role, AgentTypes.installed());
  }

  /** Events whose texts are all different, whatever they are and whichever agent's. */
  @Provide
  Arbitrary<List<StageEvent>> happenings() {
    return Combinators.combine(Arbitraries.of(StageKind.class), Arbitraries.of(CAST))
        .as((kind, actor) -> new StageEvent(0, kind, actor, ""))
        .list()
        .ofMaxSize(60)
        .map(events ->
            IntStream.range(0, events.size())
                .mapToObj(i ->
                    new StageEvent(
                        i + 1, events.get(i).kind(), events.get(i).actor(), "(text " + i + ")"))
                .toList());
  }

  private static String prompt(ContextBuilder role, String agent, List<StageEvent> events) {
    StageProjection stage = Scenes.projected(events, 200);
    return role.build(ContextRequest.of(agent, "You are " + agent, stage)).text();
  }

  @Property(tries = 300)
  void nobodyReadsAnothersThoughts(@ForAll("happenings") List<StageEvent> events) {
    for (ContextBuilder role : ROLES) {
      for (String agent : CAST) {
        String prompt = prompt(role, agent, events);
        assertThat(events)
            .filteredOn(event -> event.kind() == StageKind.THOUGHT)
            .filteredOn(event -> !event.actor().equals(agent))
            .noneMatch(thought -> prompt.contains(thought.text()));
      }
    }
  }

  @Property(tries = 300)
  void anothersThoughtsChangeNothing(@ForAll("happenings") List<StageEvent> events) {
    for (String agent : CAST) {
      List<StageEvent> without =
          events.stream()
              .filter(event -> event.kind() != StageKind.THOUGHT || event.actor().equals(agent))
              .toList();
      for (ContextBuilder role : ROLES) {
        assertThat(prompt(role, agent, events)).isEqualTo(prompt(role, agent, without));
      }
    }
  }

  @Property(tries = 300)
  void noLineIsReadTwice(@ForAll("happenings") List<StageEvent> events) {
    for (String agent : CAST) {
      for (ContextBuilder role : ROLES.subList(0, 2)) {
        String prompt = prompt(role, agent, events);
        assertThat(events)
            .noneMatch(event -> prompt.indexOf(event.text()) != prompt.lastIndexOf(event.text()));
      }
    }
  }

  @Property(tries = 300)
  void whatIsRecalledIsReadSomewhere(@ForAll("happenings") List<StageEvent> events) {
    for (String agent : CAST) {
      List<StageEvent> recalled =
          LineList.newest(Scenes.projected(events, 200).witnessedBy(agent), 8);
      String prompt = prompt(ROLES.getFirst(), agent, events);
      assertThat(recalled).allMatch(event -> prompt.contains(event.text()));
    }
  }

  @Property(tries = 300)
  void aStageIsTheFoldOfItsEventsHoweverOftenTheyCome(
      @ForAll("happenings") List<StageEvent> events, @ForAll @IntRange(max = 60) int again) {
    List<StageEvent> repeated =
        IntStream.range(0, events.size())
            .boxed()
            .flatMap(i -> events.subList(Math.max(0, i - again % 5), i + 1).stream())
            .toList();
    assertThat(Scenes.projected(repeated, 200)).isEqualTo(Scenes.projected(events, 200));
  }

  @Property(tries = 300)
  void aSmallWindowHoldsTheNewestOfEachKind(
      @ForAll("happenings") List<StageEvent> events, @ForAll @IntRange(min = 1, max = 9) int n) {
    StageProjection stage = Scenes.projected(events, n);
    List<StageEvent> visitors =
        events.stream().filter(event -> event.kind() == StageKind.VISITOR).toList();
    assertThat(stage.userArtifacts()).isEqualTo(LineList.newest(visitors, n));
    assertThat(stage.publicSpeechCount())
        .isEqualTo(events.stream().filter(event -> event.kind().isSpeech()).count());
  }

  @Property(tries = 300)
  void aSectionKeepsToItsBudget(
      @ForAll("happenings") List<StageEvent> events,
      @ForAll @IntRange(min = 16, max = 200) int tokens) {
    ContextRole tight =
        ContextRole.judge()
            .budget(ContextRole.SCENE, tokens)
            .budget(ContextRole.DISCUSSION, tokens)
            .before(ContextRole.MEMORY, "telling", Blueprint.bind(TellingLayer.class))
            .budget("telling", tokens)
            .budget(ContextRole.MEMORY, tokens)
            .budget(ContextRole.VISITOR, tokens);
    PromptContext prompt =
        builder(tight).build(ContextRequest.of("ada", "Ada", Scenes.projected(events, 200)));
    assertThat(prompt.sections())
        .filteredOn(section -> !section.name().equals("IDENTITY"))
        .filteredOn(section -> !section.name().equals("SHARED GOAL"))
        .allMatch(section -> section.tokens() <= tokens);
  }
}
