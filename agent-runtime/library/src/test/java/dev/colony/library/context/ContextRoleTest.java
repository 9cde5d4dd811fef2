package dev.colony.library.context;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.colony.agent.AgentException;
import dev.colony.agent.Blueprint;
import dev.colony.blackboard.value.ValueMapper;
import dev.colony.core.registry.AgentTypes;
import dev.colony.library.context.ContextBuilder.ContextRequest;
import dev.colony.library.context.ContextBuilder.PromptContext;
import dev.colony.library.context.StageEvent.StageKind;
import dev.colony.library.policy.StreamFilters.AllOf;
import org.junit.jupiter.api.Test;

/** Roles are lists of layers: replaced, moved, budgeted, sent as JSON, refused where wrong. */
class ContextRoleTest {

  private final Scenes scenes = new Scenes().lines(1, 40).on(StageKind.GOAL, "host", "Agree.");

  private PromptContext prompt(ContextRole role) {
    return ContextBuilder.of(role, AgentTypes.installed())
        .build(ContextRequest.of("ada", "You are Ada.", scenes.projection()));
  }

  @Test
  void aRoleTravelsAsJson() {
    ContextRole role = ContextRole.judge().budget(ContextRole.MEMORY, 100).named("referee");
    assertThat(ValueMapper.read("role", ValueMapper.write("role", role), ContextRole.class))
        .isEqualTo(role);
    assertThat(prompt(role).role()).isEqualTo("referee");
  }

  @Test
  void layersMove() {
    ContextRole role =
        ContextRole.worker()
            .without(ContextRole.EXTRA)
            .without(ContextRole.OUTPUT_FORMAT)
            .order("memory", "visitor", "discussion", "scene", "goal", "identity");
    assertThat(prompt(role).sections())
        .extracting(PromptContext.Section::name)
        .containsExactly(
            "MEMORY", "VISITOR", "BLACKBOARD", "CURRENT SCENE", "SHARED GOAL", "IDENTITY");
    // Memory stands first and still leaves out what the table below it shows.
    assertThat(prompt(role).text()).startsWith("YOUR MEMORY\n(nothing");
  }

  @Test
  void aWindowIsASetting() {
    PromptContext prompt = prompt(ContextRole.worker().window(ContextRole.DISCUSSION, 2));
    assertThat(prompt.text()).contains("line number 39.").contains("line number 40.");
    assertThat(prompt.sections())
        .filteredOn(section -> section.name().equals("BLACKBOARD"))
        .extracting(PromptContext.Section::lines)
        .containsExactly(2);
  }

  @Test
  void aBudgetDropsTheOldestLinesFirst() {
    PromptContext prompt = prompt(ContextRole.judge().budget(ContextRole.DISCUSSION, 80));
    var section =
        prompt.sections().stream()
            .filter(one -> one.name().equals("TRANSCRIPT"))
            .findFirst()
            .orElseThrow();
    assertThat(section.lines()).isBetween(1, 20);
    assertThat(section.tokens()).isLessThanOrEqualTo(80);
    assertThat(prompt.text())
        .contains("(showing the last " + section.lines() + " of 40 lines)")
        .contains("line number 40.");
  }

  @Test
  void whatABudgetDropsFromTheTableIsStillRemembered() {
    PromptContext prompt =
        prompt(
            ContextRole.worker().window(ContextRole.MEMORY, 40).budget(ContextRole.DISCUSSION, 60));
    for (int i = 1; i <= 40; i++) {
      assertThat(prompt.text()).containsOnlyOnce("line number " + i + ".");
    }
  }

  @Test
  void whoTheAgentIsIsNeverCut() {
    ContextRole role = ContextRole.worker().budget(ContextRole.IDENTITY, 16);
    ContextBuilder builder = ContextBuilder.of(role, AgentTypes.installed());
    assertThatThrownBy(() ->
            builder.build(
                ContextRequest.of("ada", "You are Ada. ".repeat(20), scenes.projection())))
        .isInstanceOf(AgentException.class)
        .hasMessageContaining("IDENTITY")
        .hasMessageContaining("16");
  }

  @Test
  void whatIsWrongIsRefusedWhereItIsWritten() {
    ContextRole role = ContextRole.worker();
    assertThatThrownBy(() -> role.replace(ContextRole.SCENE, AllOf.bind()))
        .isInstanceOf(AgentException.class)
        .hasMessageContaining("stream.all-of");
    assertThatThrownBy(() -> role.replace("sound", Blueprint.bind(ShoutingLayer.class)))
        .hasMessageContaining("has no layer sound");
    assertThatThrownBy(() -> role.order("memory", "visitor"))
        .hasMessageContaining("has the layers");
    assertThatThrownBy(() -> role.budget(ContextRole.SCENE, 3)).hasMessageContaining("16");
    assertThatThrownBy(() -> role.before("goal", "scene", Blueprint.bind(ShoutingLayer.class)))
        .hasMessageContaining("two layers");
  }
}
