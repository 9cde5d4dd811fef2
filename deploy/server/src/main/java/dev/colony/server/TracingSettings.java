package dev.colony.server;

import dev.colony.blackboard.settings.Section;

/**
 * Where the traces of runs are, as the settings under {@code colony.tracing} say.
 *
 * @param endpoint of the collector; empty where nothing is traced
 * @param page of a trace for people, with {@code {trace}} in place of its id; empty for none
 */
@Section("colony.tracing")
public record TracingSettings(String endpoint, String page) {

  public TracingSettings {
    if (!page.isEmpty() && !page.matches("https?://\\S*\\{trace}\\S*")) {
      throw new IllegalArgumentException(
          "colony.tracing.page is http(s)://... with {trace} in it, not: " + page);
    }
  }
}
