package dev.colony.vcm;

/** A page, or a map or group with it, may not be read by the tenant that asks for it. */
public final class PageRefused extends RuntimeException {

  private static final long serialVersionUID = 1L;

  /**
   * In one line.
   *
   * @param why as what follows the page's name
   */
  public PageRefused(PageId page, String why) {
    this("page " + page, why);
  }

  /**
   * In one line.
   *
   * @param what a map or a group, with its name
   * @param why of the page in it that is refused
   */
  public PageRefused(String what, String why) {
    super(what + " " + why);
  }
}
