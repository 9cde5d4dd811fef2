package dev.colony.core.registry;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.agent.author.JsonSchemaCheck;
import java.util.List;
import org.junit.jupiter.api.Test;

/** All that ships can be bound. */
class InstalledTypesTest {

  @Test
  void theArgumentsOfEveryInstalledTypeHaveASchema() {
    AgentTypes installed = AgentTypes.installed();
    List<String> names = installed.names(Object.class);
    assertThat(names).contains("stream.conversation").isSorted();
    assertThat(names).allSatisfy(name -> JsonSchemaCheck.of(installed.schema(name)));
  }
}
