package strict

import (
	"cmp"
	"reflect"
	"strconv"
	"strings"
)

// Short is the shortest text of the value that field points to: a text, a number, a truth
// or a list of numbers. Nil: the value is nothing. What is true has the empty text.
func Short(field any) *string {
	text := ""
	switch v := reflect.ValueOf(field).Elem(); v.Kind() {
	case reflect.Slice:
		for i := range v.Len() {
			text += ","[:min(i, 1)] + strconv.FormatInt(v.Index(i).Int(), 10)
		}
	case reflect.Int, reflect.Int64:
		text = strconv.FormatInt(v.Int(), 10)
	case reflect.Float64:
		text = strconv.FormatFloat(v.Float(), 'g', -1, 64)
	case reflect.String:
		text = v.String()
	default:
	}
	if v := reflect.ValueOf(field).Elem(); v.IsZero() || v.Kind() == reflect.Slice && v.Len() == 0 {
		return nil
	}
	return &text
}

// SetShort sets the value that field points to, from what Short wrote of it.
func SetShort(field any, text string) (err error) {
	switch v := reflect.ValueOf(field).Elem(); v.Kind() {
	case reflect.Slice:
		for n := range strings.SplitSeq(text, ",") {
			one, wrong := strconv.Atoi(n)
			v.Set(reflect.Append(v, reflect.ValueOf(one)))
			err = cmp.Or(err, wrong)
		}
	case reflect.Int, reflect.Int64:
		n, wrong := strconv.ParseInt(text, 10, 64)
		v.SetInt(n)
		err = wrong
	case reflect.Float64:
		n, wrong := strconv.ParseFloat(text, 64)
		v.SetFloat(n)
		err = wrong
	case reflect.Bool:
		v.SetBool(true)
	case reflect.String:
		v.SetString(text)
	default:
		err = strconv.ErrSyntax
	}
	return err
}
