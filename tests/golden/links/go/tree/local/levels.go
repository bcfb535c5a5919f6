package local

type Level int

const (
	Low Level = iota
	Mid
	Top
	High
)

type Row struct{ Top int }

func Names() map[Level]string { return map[Level]string{Low: "low"} }

func Places() []string { return []string{Mid: "mid"} }

func Rows() Row { return Row{Top: 3} }

func Given(High string) map[string]int { return map[string]int{High: 3} }
