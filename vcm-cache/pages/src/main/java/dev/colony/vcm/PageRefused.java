package dev.colony.vcm;

/** A page may not be read by the tenant that asks for it. */
public final class PageRefused extends RuntimeException {

  private static final long serialVersionUID = 1L;

  /**
   * In one line.
   *
   * @param why as what follows the page's name
   */
  public PageRefused(PageId page, String why) {
    super("page " + page + " " + why);
  }
}
