package dev.colony.spring.harbour;

import dev.colony.agent.client.Colony;
import dev.colony.agent.client.LocalOptions;
import java.net.URI;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.annotation.Bean;

/** Of an application that has its colony itself; not scanned, as the others share the package. */
class LocalHarbour {

  // guide: local
  @Bean
  Colony colony(@Value("${harbour.model}") URI model) {
    return Colony.local(LocalOptions.temporary().model(model));
  }
  // guide end
}
