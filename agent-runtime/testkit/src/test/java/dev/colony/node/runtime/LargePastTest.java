package dev.colony.node.runtime;

import dev.colony.blackboard.payload.PayloadStore.PayloadSettings;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;

@Tag("faults")
class LargePastTest extends LargePastContract {

  @TempDir private Path folder;

  @Override
  PayloadSettings store() {
    return new PayloadSettings("file:" + folder, "", "us-east-1");
  }
}
