package example;

public class Needy extends Upper {
  public Needy(String name) {}
}
