package dev.colony.image;

/**
 * The layers above the base, the ones that change least first, so that a new build of the
 * application leaves those below it as they are in a registry and on a node's disk.
 */
enum Layer {
  RUNTIME("the Java runtime", Contents.JAVA_HOME),
  LIBRARIES("the libraries of others", Contents.LIBRARIES),
  APPLICATION("the jars of Colony", Contents.APPLICATION),
  CACHE("the AOT cache", Contents.HOME + "/cache");

  private final String title;
  private final String folder;

  Layer(String title, String folder) {
    this.title = title;
    this.folder = folder;
  }

  /** Stands in the image's history. */
  String title() {
    return title;
  }

  /** The folder in the image that is this layer, absolute. */
  String folder() {
    return folder;
  }
}
